import { HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { startHeartbeat } from '../heartbeat.ts'
import { createSocketGate } from '../socket-gate.ts'
import { readFrame } from './hocuspocus-frame.ts'
import type { HocuspocusLine } from './hocuspocus-line.ts'
import type { RefusedSizes } from './refused-sizes.ts'
import { createSocketDocuments } from './socket-documents.ts'

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
  const gate = createSocketGate(WebSocket)
  const documents = createSocketDocuments(patience / 6, mostPending)
  const heartbeat = startHeartbeat(beat, documents.ask)
  /** What to release at the end. */
  const releases = [heartbeat.stop, gate.close]
  let isOver = false

  const end = (statusOf: (line: HocuspocusLine) => LinkStatus): void => {
    if (isOver) return
    isOver = true
    documents.end(statusOf)
    for (const release of releases) release()
  }
  const goOffline = (): void => end(() => ({ state: 'offline' }))
  const opening = setTimeout(goOffline, patience)
  releases.push(() => clearTimeout(opening))

  gate.guardedBy({
    opened: () => clearTimeout(opening),
    incoming: (bytes, show) => {
      heartbeat.received()
      const frame = readFrame(bytes)
      if (frame === undefined) return show(bytes)
      documents.incoming(frame, bytes, show)
    },
    ended: (code, reason) => {
      // A server ends the connection of all documents because of a message of one of them.
      const longest = documents.longestUnconfirmed()
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
  releases.push(() => provider.destroy())

  return {
    open: (link) => documents.open(link, { token, gate, provider, patience, sizes }, goOffline),
    isOver: () => isOver,
    close: async () => {
      await documents.close()
      goOffline()
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
