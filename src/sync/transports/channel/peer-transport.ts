import type { SyncTransport } from '../../link.ts'
import { openPeerLine, type PeerLine } from './peer-line.ts'
import { type PeerMessage, readPeerMessage, writePeerMessage } from './peer-message.ts'

/** Carries messages to everybody else on it, in order. */
export interface PeerChannel {
  post(bytes: Uint8Array<ArrayBuffer>): void
  close(): void
}

/**
 * Sync among peers: a peer that comes says what it has, the others answer with what they have, and each asks one peer
 * at a time for what it lacks. Documents that are not open at a peer cannot be fetched from it, unless it opens them on
 * request.
 *
 * @param enter - called with the first document; `take` gets what arrives, `lost` reports that nothing will arrive any
 * more
 */
export function peerTransport(
  enter: (take: (data: unknown) => void, lost: () => void) => PeerChannel,
  leavesWithLast: boolean,
): SyncTransport {
  const lines = new Map<string, Set<PeerLine>>()
  const requestListeners = new Set<(name: string) => void>()
  let channel: PeerChannel | undefined
  let isLost = false

  const all = (): PeerLine[] => [...lines.values()].flatMap((set) => [...set])
  const take = (data: unknown): void => {
    const message = readPeerMessage(data)
    if (message === undefined) return
    const open = lines.get(message.name)
    for (const line of [...(open ?? [])]) hand(line, message)
    if (open === undefined && message.kind === 'hello')
      for (const listener of [...requestListeners]) listener(message.name)
  }
  const leave = (): void => {
    channel?.close()
    channel = undefined
  }

  const lost = (): void => {
    isLost = true
    for (const line of all()) line.end({ state: 'offline' })
  }

  return {
    open: (link) => {
      channel ??= enter(take, lost)
      const { post } = channel
      const line = openPeerLine({
        link,
        post: (message) => post(writePeerMessage(message)),
        onEnd: () => {
          lines.get(link.name)?.delete(line)
          if (lines.get(link.name)?.size === 0) lines.delete(link.name)
          if (leavesWithLast && lines.size === 0) leave()
        },
      })
      // Each attempt is answered.
      if (isLost) queueMicrotask(() => line.end({ state: 'offline' }))
      lines.set(link.name, (lines.get(link.name) ?? new Set()).add(line))
      return line.connection
    },
    onAsked: (listener) => {
      requestListeners.add(listener)
      return () => void requestListeners.delete(listener)
    },
    close: async () => {
      await Promise.all(all().map(({ connection }) => connection.close()))
      leave()
    },
  }
}

/** A message that cannot be read must not affect the others. */
function hand(line: PeerLine, message: PeerMessage): void {
  try {
    line.incoming(message)
  } catch {
    // An invalid state vector: its sender gets no answer.
  }
}
