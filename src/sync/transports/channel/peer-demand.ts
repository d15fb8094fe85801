import * as Y from 'yjs'
import { type Clocks, hasMore } from '../clocks.ts'

/** How long a peer may take to send everything that was asked of it, in milliseconds: it may be gone. */
const patience = 5_000

export interface PeerDemandOptions {
  readonly doc: Y.Doc
  /** What each peer has. */
  readonly peers: ReadonlyMap<string, Clocks>
  /** Asks a peer for more: a few pieces, or everything in one. */
  readonly ask: (kind: 'want' | 'whole', peer: string, stateVector: Uint8Array) => void
}

/** Asks one peer at a time for what is missing here: two peers that have the same would send it twice. */
export interface PeerDemand {
  /** Asks a peer that has more, unless one is asked already. */
  more(except?: string): void
  /**
   * A peer has sent everything it was asked for.
   *
   * @param onDone - called where it was asked, before anything else is asked
   */
  done(peer: string, onDone: () => void): void
  /** The peer is gone. */
  leave(peer: string): void
  close(): void
}

export function createPeerDemand({ doc, peers, ask }: PeerDemandOptions): PeerDemand {
  /** The peer that was asked, and what was here then. */
  let current: { readonly peer: string; readonly had: string; readonly isWhole: boolean } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const vector = (): Uint8Array => Y.encodeStateVector(doc)

  const stop = (): void => {
    clearTimeout(timer)
    current = undefined
  }
  /** @param goOn - called when the peer is silent */
  const askFor = (peer: string, isWhole: boolean, goOn: (except: string) => void): void => {
    current = { peer, had: String(vector()), isWhole }
    timer = setTimeout(() => {
      stop()
      goOn(peer)
    }, patience)
    ask(isWhole ? 'whole' : 'want', peer, vector())
  }
  const more = (except?: string): void => {
    if (current !== undefined) return
    const ours = Y.decodeStateVector(vector())
    const peer = [...peers].find(([id, clocks]) => id !== except && hasMore(clocks, ours))?.[0]
    if (peer !== undefined) askFor(peer, false, more)
  }

  return {
    more,
    done: (peer, onDone) => {
      if (current?.peer !== peer) return
      const isStuck = current.had === String(vector())
      const { isWhole } = current
      stop()
      onDone()
      // A deletion is accepted only together with the purge that made it, which may be pieces away.
      const hasRest = hasMore(peers.get(peer) ?? new Map(), Y.decodeStateVector(vector()))
      if (isStuck && !isWhole && hasRest) return askFor(peer, true, more)
      // If even that brought nothing, the rest is refused here: it is not asked for again until the peer says
      // something.
      more(isStuck ? peer : undefined)
    },
    leave: (peer) => {
      if (current?.peer === peer) stop()
    },
    close: () => clearTimeout(timer),
  }
}
