import type { Awareness } from 'y-protocols/awareness'
import type { KnownPeers } from './known-peers.ts'
import { readPresenceState } from './read-presence-state.ts'

/** How many states may wait to be read. Further ones are skipped: the next state repeats them. */
const mostWaiting = 100

export interface FollowPeersOptions {
  readonly awareness: Awareness
  readonly known: KnownPeers
  /** This device, whose earlier connection the server may not know to be lost. */
  readonly me: string
  /** Decrypts a state. */
  readonly read: (content: unknown) => unknown
  /** Somebody has come. */
  readonly onArrival: () => void
  readonly onError: (error: unknown) => void
}

/** Reads what the other devices in a session publish over one connection. Returns how to stop. */
export function followPeers({ awareness, known, me, read, onArrival, onError }: FollowPeersOptions): () => void {
  let reading: Promise<void> = Promise.resolve()
  let waiting = 0
  let isClosed = false

  const take = async (client: number): Promise<void> => {
    const { content } = awareness.states.get(client) ?? {}
    // A server may hold the state of somebody who no longer looks.
    if (content === undefined) return known.forget(client)
    const sent = JSON.stringify(content)
    if (known.isUnchanged(client, sent)) return
    // A state that cannot be opened counts as none.
    const opened = await Promise.resolve(content)
      .then(read)
      .catch(() => undefined)
    const state = readPresenceState(opened)
    if (isClosed || !awareness.states.has(client)) return
    if (state === undefined || state.device === me) return known.forget(client)
    if (known.put(client, sent, state)) onArrival()
  }

  const onUpdate = ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', readonly number[]>): void => {
    for (const client of removed) known.forget(client)
    for (const client of [...added, ...updated]) {
      if (client === awareness.clientID || waiting >= mostWaiting) continue
      waiting += 1
      reading = reading
        .then(() => (isClosed ? undefined : take(client)))
        .catch(onError)
        .finally(() => (waiting -= 1))
    }
  }
  awareness.on('update', onUpdate)

  return () => {
    isClosed = true
    awareness.off('update', onUpdate)
  }
}
