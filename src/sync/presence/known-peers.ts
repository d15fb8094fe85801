import { joinPiece } from './join-piece.ts'
import type { PeerState, PresenceState } from './presence-state.ts'

/**
 * A device that types publishes this every three seconds. A device that froze in the meantime does not type any more.
 */
const typingMs = 10_000

interface KnownPeer {
  readonly state: PeerState
  /** As it arrived. */
  readonly sent: string
  /** Until when it counts as typing. */
  readonly typingUntil: number
}

/** The other devices in one session, as they have published themselves. */
export interface KnownPeers {
  /** Whether this client has published the same before, and nothing depends on when it did. */
  isUnchanged(client: number, sent: string): boolean
  /** @returns whether the client is new */
  put(client: number, sent: string, state: PresenceState): boolean
  forget(client: number): void
  /** One for each device, in the order in which they came. */
  list(): readonly PeerState[]
  isEmpty(): boolean
  close(): void
}

/** @param onChange - also called when a device counts as typing no longer */
export function createKnownPeers(now: () => number, onChange: () => void): KnownPeers {
  const known = new Map<number, KnownPeer>()
  let list: readonly PeerState[] | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const changed = (): void => {
    list = undefined
    clearTimeout(timer)
    const next = [...known.values()]
      .map(({ typingUntil }) => typingUntil)
      .filter((until) => until > now())
      .reduce((a, b) => Math.min(a, b), Infinity)
    if (next !== Infinity) timer = setTimeout(changed, Math.max(1, next - now()))
    onChange()
  }
  const shown = ({ state, typingUntil }: KnownPeer): PeerState =>
    state.isTyping && typingUntil <= now() ? { ...state, isTyping: false } : state

  return {
    isUnchanged: (client, sent) => {
      const before = known.get(client)
      return before?.sent === sent && !before.state.isTyping
    },
    put: (client, sent, { device, user, typing = false, draft }) => {
      const before = known.get(client)
      const joined = draft === undefined ? {} : { draft: joinPiece(before?.state.draft, draft) }
      const typingUntil = typing ? now() + typingMs : 0
      known.set(client, { sent, typingUntil, state: { id: device, user, isTyping: typing, ...joined } })
      changed()
      return before === undefined
    },
    forget: (client) => {
      if (known.delete(client)) changed()
    },
    // A lost connection is shown until it is known to be lost.
    list: () =>
      (list ??= Object.freeze([
        ...new Map([...known.values()].map((peer) => [peer.state.id, shown(peer)] as const)).values(),
      ])),
    isEmpty: () => known.size === 0,
    close: () => clearTimeout(timer),
  }
}
