import type { Awareness } from 'y-protocols/awareness'
import { joinPiece } from './join-piece.ts'
import type { PeerState } from './presence-state.ts'
import { readPresenceState } from './read-presence-state.ts'

/**
 * A device that types publishes this every three seconds. A device that froze in the meantime does not type any more.
 */
const typingMs = 10_000
/** How many states may wait to be read. Further ones are skipped: the next state repeats them. */
const mostWaiting = 100

export interface FollowPeersOptions {
  readonly awareness: Awareness
  /** This device, whose earlier connection the server may not know to be lost. */
  readonly me: string
  /** Decrypts a state. */
  readonly read: (content: unknown) => unknown
  readonly now: () => number
  readonly onChange: () => void
  /** Somebody has come. */
  readonly onArrival: () => void
  readonly onError: (error: unknown) => void
}

/** The other devices in one session, over one connection. */
export interface Peers {
  /** One for each device, in the order in which they came. */
  list(): readonly PeerState[]
  isEmpty(): boolean
  close(): void
}

interface KnownPeer {
  readonly state: PeerState
  /** As it arrived. */
  readonly sent: string
  /** Until when it counts as typing. */
  readonly typingUntil: number
}

export function followPeers({ awareness, me, read, now, onChange, onArrival, onError }: FollowPeersOptions): Peers {
  const known = new Map<number, KnownPeer>()
  let list: readonly PeerState[] | undefined
  let reading: Promise<void> = Promise.resolve()
  let waiting = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

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
  const forget = (id: number): void => {
    if (known.delete(id)) changed()
  }

  /** A state that cannot be opened counts as none. */
  const open = async (content: unknown): Promise<unknown> => {
    try {
      return await read(content)
    } catch {
      return undefined
    }
  }
  const take = async (id: number): Promise<void> => {
    const { content } = awareness.states.get(id) ?? {}
    // A server may hold the state of somebody who no longer looks.
    if (content === undefined) return forget(id)
    const sent = JSON.stringify(content)
    const before = known.get(id)
    if (before?.sent === sent && !before.state.isTyping) return
    const state = readPresenceState(await open(content))
    if (isClosed || !awareness.states.has(id)) return
    if (state === undefined || state.device === me) return forget(id)
    const { device, user, typing = false, draft } = state
    known.set(id, {
      sent,
      typingUntil: typing ? now() + typingMs : 0,
      state: {
        id: device,
        user,
        isTyping: typing,
        ...(draft === undefined ? {} : { draft: joinPiece(before?.state.draft, draft) }),
      },
    })
    changed()
    if (before === undefined) onArrival()
  }

  const onUpdate = ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', readonly number[]>): void => {
    for (const id of removed) forget(id)
    for (const id of [...added, ...updated]) {
      if (id === awareness.clientID || waiting >= mostWaiting) continue
      waiting += 1
      reading = reading
        .then(() => (isClosed ? undefined : take(id)))
        .catch(onError)
        .finally(() => (waiting -= 1))
    }
  }
  awareness.on('update', onUpdate)

  return {
    list: () => {
      // A lost connection is shown until it is known to be lost.
      list ??= Object.freeze([
        ...new Map(
          [...known.values()].map(({ state, typingUntil }) => [
            state.id,
            state.isTyping && typingUntil <= now() ? { ...state, isTyping: false } : state,
          ]),
        ).values(),
      ])
      return list
    },
    isEmpty: () => known.size === 0,
    close: () => {
      isClosed = true
      clearTimeout(timer)
      awareness.off('update', onUpdate)
    },
  }
}
