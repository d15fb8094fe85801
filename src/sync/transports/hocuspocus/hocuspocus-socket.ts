import { HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createSemaphore } from '../../semaphore.ts'
import { startHeartbeat } from '../heartbeat.ts'
import { createSocketGate } from '../socket-gate.ts'
import { frameType, isDenial, readFrame } from './hocuspocus-frame.ts'
import { type HocuspocusLine, openHocuspocusLine } from './hocuspocus-line.ts'
import { createLeavingDocuments } from './leaving-documents.ts'
import type { RefusedSizes } from './refused-sizes.ts'

/**
 * In milliseconds: how long the server may take to answer; how often to ask for a sign of life; and after how much
 * silence both sides consider the connection dead.
 */
const patience = 30_000
const beat = 20_000
const silence = 120_000
/** The server closes a connection that has 100 documents waiting to be opened. */
const mostPending = 50

/** What a server closes a socket with when a message is too long for it. */
const tooBig = 1009

export interface HocuspocusSocketOptions {
  readonly url: string
  readonly token: () => Promise<string> | string
  readonly WebSocket: typeof WebSocket
  readonly sizes: RefusedSizes
}

/**
 * One connection to the server, with the documents that are open on it. It is never reopened: the next document makes
 * another one.
 */
export interface HocuspocusSocket {
  open(link: SyncLink): SyncConnection
  isOver(): boolean
  close(): Promise<void>
}

export function createHocuspocusSocket({ url, token, WebSocket, sizes }: HocuspocusSocketOptions): HocuspocusSocket {
  const lines = new Map<string, HocuspocusLine>()
  const leaving = createLeavingDocuments(patience / 6)
  const semaphore = createSemaphore(mostPending)
  let isOver = false

  const end = (statusOf: (line: HocuspocusLine) => LinkStatus): void => {
    if (isOver) return
    isOver = true
    clearTimeout(opening)
    heartbeat.stop()
    for (const line of [...lines.values()]) line.end(statusOf(line))
    leaving.finishAll()
    gate.close()
    provider.destroy()
  }

  const gate = createSocketGate(WebSocket, {
    opened: () => clearTimeout(opening),
    incoming: (bytes, show) => {
      heartbeat.received()
      const frame = readFrame(bytes)
      if (frame === undefined) return show(bytes)
      if (!leaving.has(frame.name)) return lines.get(frame.name)?.incoming(frame, bytes, show)
      // Nobody needs what was on its way when its document was closed.
      if (frame.type === frameType.close || isDenial(frame)) leaving.finish(frame.name)
    },
    ended: (code, reason) => {
      // A server ends the connection of all documents because of a message of one of them.
      const longest = [...lines.values()].reduce((most, line) => Math.max(most, line.longestUnconfirmed()), 0)
      if (code === tooBig && longest > 0) sizes.refuse(longest)
      end((line) => statusAfter(code, reason, line.longestUnconfirmed() === longest ? longest : 0))
    },
  })

  const provider = new HocuspocusProviderWebsocket({
    url,
    WebSocketPolyfill: gate.WebSocket,
    // Sync opens documents again by itself. A delay below `minDelay` would prevent even this attempt.
    maxAttempts: 1,
    delay: 1_000,
    minDelay: 1_000,
    messageReconnectTimeout: silence,
    onMaxAttemptsFailed: ({ error }: { error: unknown }) =>
      end(() => ({ state: 'error', message: (error as Error).message })),
  })
  const opening = setTimeout(() => end(() => ({ state: 'offline' })), patience)
  const heartbeat = startHeartbeat(beat, () => [...lines.values()].find((line) => line.isConnected())?.connection.ask())

  return {
    open: (link) => {
      const line = openHocuspocusLine({
        link,
        token,
        gate,
        provider,
        patience,
        sizes,
        turn: () => leaving.left(link.name).then(semaphore.acquire),
        onEnd: (mustLeave) => {
          if (lines.get(link.name) === line) lines.delete(link.name)
          if (mustLeave && !isOver) leaving.add(link.name)
          // Later, so that a document that is opened right afterwards keeps the connection.
          queueMicrotask(() => {
            if (lines.size === 0) end(() => ({ state: 'offline' }))
          })
        },
      })
      lines.get(link.name)?.end({ state: 'offline' })
      lines.set(link.name, line)
      return line.connection
    },
    isOver: () => isOver,
    close: async () => {
      await Promise.all([...lines.values()].map(({ connection }) => connection.close()))
      end(() => ({ state: 'offline' }))
    },
  }
}

/**
 * @param longest - bytes of the longest message of this document on its way; 0 where another document sent a longer one
 */
function statusAfter(code: number, reason: string, longest: number): LinkStatus {
  if (code === tooBig && longest > 0) {
    return {
      state: 'oversized',
      message: `the server ended the connection over a message that is too long for it (${longest} bytes)`,
    }
  }
  if (code === 4401 || code === 4403) return { state: 'denied', message: reason === '' ? String(code) : reason }
  return code === 1002 ? { state: 'error', message: reason } : { state: 'offline' }
}
