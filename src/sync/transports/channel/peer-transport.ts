import type { SyncTransport } from '../../link.ts'
import { openPeerLine, type PeerLine } from './peer-line.ts'
import { type PeerMessage, readPeerMessage, writePeerMessage } from './peer-message.ts'

/** A way that carries messages to everybody else on it, in order. */
export interface PeerWay {
  post(bytes: Uint8Array<ArrayBuffer>): void
  close(): void
}

/**
 * Sync among equals: whoever comes says what they have, the others answer with what they have, and each asks one at a time for what it lacks. What is not
 * open here is asked for in vain, unless it is opened for that.
 *
 * @param enter - called with the first document; `take` gets what arrives, `lost` tells that nothing ever will any more
 */
export function peerTransport(enter: (take: (data: unknown) => void, lost: () => void) => PeerWay, leavesWithLast: boolean): SyncTransport {
  const lines = new Map<string, Set<PeerLine>>()
  const askers = new Set<(name: string) => void>()
  let way: PeerWay | undefined
  let isLost = false

  const all = (): PeerLine[] => [...lines.values()].flatMap((set) => [...set])
  const take = (data: unknown): void => {
    const message = readPeerMessage(data)
    if (message === undefined) return
    const open = lines.get(message.name)
    for (const line of [...(open ?? [])]) hand(line, message)
    if (open === undefined && message.kind === 'hello') for (const listener of [...askers]) listener(message.name)
  }
  const leave = (): void => {
    way?.close()
    way = undefined
  }

  const lost = (): void => {
    isLost = true
    for (const line of all()) line.end({ state: 'offline' })
  }

  return {
    open: (link) => {
      way ??= enter(take, lost)
      const { post } = way
      const line = openPeerLine({
        link,
        post: (message) => post(writePeerMessage(message)),
        onEnd: () => {
          lines.get(link.name)?.delete(line)
          if (lines.get(link.name)?.size === 0) lines.delete(link.name)
          if (leavesWithLast && lines.size === 0) leave()
        },
      })
      // Whoever tries again is told each time.
      if (isLost) queueMicrotask(() => line.end({ state: 'offline' }))
      lines.set(link.name, (lines.get(link.name) ?? new Set()).add(line))
      return line.connection
    },
    onAsked: (listener) => {
      askers.add(listener)
      return () => void askers.delete(listener)
    },
    close: async () => {
      await Promise.all(all().map(({ connection }) => connection.close()))
      leave()
    },
  }
}

/** What can't be read is no reason to leave the others. */
function hand(line: PeerLine, message: PeerMessage): void {
  try {
    line.incoming(message)
  } catch {
    // A state vector that is none: whoever sent it is not answered.
  }
}
