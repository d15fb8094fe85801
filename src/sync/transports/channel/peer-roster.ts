import * as Y from 'yjs'
import type { Clocks } from '../clocks.ts'

/**
 * How long a question may go without an answer, in milliseconds. A peer that is only slow is added again when its
 * answer comes.
 */
const answerMs = 2000
/** Waits before asking once more who is there, in milliseconds: others may have to open the document first. */
const seekMs = [250, 500, 1000, 2000]

export interface PeerRosterOptions {
  /** The peers that are there, and what each has: kept here. */
  readonly peers: Map<string, Clocks>
  /** Asks all peers what they have. */
  readonly greet: () => void
  /** It is known again who is there. */
  readonly onKnown: () => void
  /** A peer is gone. */
  readonly onLeave: (peer: string) => void
}

/** Finds out which peers have a document open, and what each has. */
export interface PeerRoster {
  /** A peer says what it has. */
  add(peer: string, stateVector: Uint8Array): void
  /** A peer says that it leaves. */
  leave(peer: string): void
  /** Asks who is there. Peers that do not answer count as gone. */
  ask(): void
  close(): void
}

export function createPeerRoster({ peers, greet, onKnown, onLeave }: PeerRosterOptions): PeerRoster {
  /** Those that have not answered the last question. */
  const silent = new Set<string>()
  let seeking: ReturnType<typeof setTimeout> | undefined
  let listening: ReturnType<typeof setTimeout> | undefined

  const remove = (peer: string): void => {
    peers.delete(peer)
    silent.delete(peer)
    onLeave(peer)
  }
  /** Asks a few times until a peer answers. */
  const seek = (round = 0): void => {
    greet()
    seeking = setTimeout(() => {
      if (round + 1 < seekMs.length) return seek(round + 1)
      seeking = undefined
      onKnown()
    }, seekMs[round])
  }
  const listen = (): void => {
    greet()
    for (const peer of peers.keys()) silent.add(peer)
    listening ??= setTimeout(() => {
      listening = undefined
      for (const peer of [...silent]) remove(peer)
      onKnown()
    }, answerMs)
  }

  return {
    add: (peer, stateVector) => {
      peers.set(peer, Y.decodeStateVector(stateVector))
      silent.delete(peer)
      clearTimeout(seeking)
      seeking = undefined
      onKnown()
    },
    leave: (peer) => {
      if (!peers.has(peer)) return
      remove(peer)
      onKnown()
    },
    ask: () => {
      if (peers.size > 0) listen()
      else if (seeking === undefined) seek()
    },
    close: () => {
      clearTimeout(seeking)
      clearTimeout(listening)
    },
  }
}
