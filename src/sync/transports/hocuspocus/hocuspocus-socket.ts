import { HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createTurns } from '../../turns.ts'
import { createSocketGate } from '../socket-gate.ts'
import { frameType, isDenial, readFrame } from './hocuspocus-frame.ts'
import { type HocuspocusLine, openHocuspocusLine } from './hocuspocus-line.ts'
import type { RefusedSizes } from './refused-sizes.ts'

/** In milliseconds: until the server must have answered; between signs of life, which both sides take the connection for dead without. */
const patience = 30_000
const beat = 20_000
const silence = 120_000
/** The server closes a connection with 100 documents that it has not let in yet. */
const mostPending = 50

export interface HocuspocusSocketOptions {
  readonly url: string
  readonly token: () => Promise<string> | string
  readonly WebSocket: typeof WebSocket
  readonly sizes: RefusedSizes
}

/** One connection to the server, with the documents that are open on it. It never comes back: the next document has another made. */
export interface HocuspocusSocket {
  open(link: SyncLink): SyncConnection
  isOver(): boolean
  close(): Promise<void>
}

export function createHocuspocusSocket({ url, token, WebSocket, sizes }: HocuspocusSocketOptions): HocuspocusSocket {
  const lines = new Map<string, HocuspocusLine>()
  /** Documents that the server may still think open. Opened again before it has answered, they would be lost between two of its connections. */
  const leaving = new Map<string, () => void>()
  const left = new Map<string, Promise<void>>()
  const turns = createTurns(mostPending)
  let isOver = false
  let lastHeard = Date.now()

  const end = (statusOf: (line: HocuspocusLine) => LinkStatus): void => {
    if (isOver) return
    isOver = true
    clearTimeout(opening)
    clearInterval(beating)
    for (const line of [...lines.values()]) line.end(statusOf(line))
    for (const finish of [...leaving.values()]) finish()
    gate.close()
    provider.destroy()
  }

  const gate = createSocketGate(WebSocket, {
    opened: () => clearTimeout(opening),
    incoming: (bytes, show) => {
      lastHeard = Date.now()
      const frame = readFrame(bytes)
      if (frame === undefined) return show(bytes)
      const leave = leaving.get(frame.name)
      if (leave === undefined) return lines.get(frame.name)?.incoming(frame, bytes, show)
      // What was on its way when its document was closed is for nobody.
      if (frame.type === frameType.close || isDenial(frame)) leave()
    },
    ended: (code, reason) => {
      // It ends the connection of all over what one of them sends.
      const longest = [...lines.values()].reduce((most, line) => Math.max(most, line.longestUnconfirmed()), 0)
      const isTooLong = code === 1009 && longest > 0
      if (isTooLong) sizes.refuse(longest)
      end((line) => {
        if (isTooLong && line.longestUnconfirmed() === longest) return { state: 'oversized', message: `the server ended the connection over a message that is too long for it (${longest} bytes)` }
        if (code === 4401 || code === 4403) return { state: 'denied', message: reason === '' ? String(code) : reason }
        return code === 1002 ? { state: 'error', message: reason } : { state: 'offline' }
      })
    },
  })

  const provider = new HocuspocusProviderWebsocket({
    url,
    WebSocketPolyfill: gate.WebSocket,
    // Whoever opens documents tries again. A delay below `minDelay` would keep even this one from connecting.
    maxAttempts: 1,
    delay: 1_000,
    minDelay: 1_000,
    messageReconnectTimeout: silence,
    onMaxAttemptsFailed: ({ error }: { error: unknown }) => end(() => ({ state: 'error', message: (error as Error).message })),
  })
  const opening = setTimeout(() => end(() => ({ state: 'offline' })), patience)
  // Any question does: the server answers it.
  const beating = setInterval(() => {
    if (Date.now() - lastHeard >= beat / 2) [...lines.values()].find((line) => line.isConnected())?.connection.ask()
  }, beat)

  const leave = (name: string): void => {
    let timer: ReturnType<typeof setTimeout>
    left.set(
      name,
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          leaving.delete(name)
          left.delete(name)
          resolve()
        }
        timer = setTimeout(finish, patience / 6)
        leaving.set(name, finish)
      }),
    )
  }

  return {
    open: (link) => {
      const line = openHocuspocusLine({
        link,
        token,
        gate,
        provider,
        patience,
        sizes,
        turn: async () => {
          await left.get(link.name)
          return turns.take()
        },
        onEnd: (mustLeave) => {
          if (lines.get(link.name) === line) lines.delete(link.name)
          if (mustLeave && !isOver) leave(link.name)
          // Later, so that one that is opened in the same breath keeps the connection.
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
      const open = [...lines.values()]
      await Promise.all(open.map(({ connection }) => connection.close()))
      end(() => ({ state: 'offline' }))
    },
  }
}
