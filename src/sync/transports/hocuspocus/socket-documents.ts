import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createSemaphore } from '../../semaphore.ts'
import { frameType, type HocuspocusFrame, isDenial } from './hocuspocus-frame.ts'
import { type HocuspocusLine, type HocuspocusLineOptions, openHocuspocusLine } from './hocuspocus-line.ts'
import { createLeavingDocuments } from './leaving-documents.ts'

/** The documents that are open on a connection. */
export interface SocketDocuments {
  /** @param onEmpty - called when no document is open any more */
  open(
    link: SyncLink,
    options: Omit<HocuspocusLineOptions, 'link' | 'turn' | 'onEnd'>,
    onEmpty: () => void,
  ): SyncConnection
  /** Hands a frame to the document that it is about. */
  incoming(frame: HocuspocusFrame, bytes: Uint8Array, show: (frame: Uint8Array) => void): void
  /** Asks for one of them what the server has. */
  ask(): void
  /** Length of the longest update that was sent and not confirmed, in bytes. */
  longestUnconfirmed(): number
  /** The connection has ended. */
  end(statusOf: (line: HocuspocusLine) => LinkStatus): void
  /** Closes all from here. */
  close(): Promise<void>
}

/**
 * @param leaveMs - how long the server may take to close a document
 * @param mostPending - how many documents may wait for the server to open them
 */
export function createSocketDocuments(leaveMs: number, mostPending: number): SocketDocuments {
  const lines = new Map<string, HocuspocusLine>()
  const leaving = createLeavingDocuments(leaveMs)
  const semaphore = createSemaphore(mostPending)
  let isOver = false
  const all = (): HocuspocusLine[] => [...lines.values()]
  return {
    open: (link, options, onEmpty) => {
      const line = openHocuspocusLine({
        ...options,
        link,
        turn: () => leaving.left(link.name).then(semaphore.acquire),
        onEnd: (mustLeave) => {
          if (lines.get(link.name) === line) lines.delete(link.name)
          if (mustLeave && !isOver) leaving.add(link.name)
          // Later, so that a document that is opened right afterwards keeps the connection.
          queueMicrotask(() => {
            if (lines.size === 0) onEmpty()
          })
        },
      })
      lines.get(link.name)?.end({ state: 'offline' })
      lines.set(link.name, line)
      return line.connection
    },
    incoming: (frame, bytes, show) => {
      if (!leaving.has(frame.name)) return lines.get(frame.name)?.incoming(frame, bytes, show)
      // Nobody needs what was on its way when its document was closed.
      if (frame.type === frameType.close || isDenial(frame)) leaving.finish(frame.name)
    },
    ask: () =>
      all()
        .find((line) => line.isConnected())
        ?.connection.ask(),
    longestUnconfirmed: () => all().reduce((most, line) => Math.max(most, line.longestUnconfirmed()), 0),
    end: (statusOf) => {
      isOver = true
      for (const line of all()) line.end(statusOf(line))
      leaving.finishAll()
    },
    close: async () => {
      await Promise.all(all().map(({ connection }) => connection.close()))
    },
  }
}
