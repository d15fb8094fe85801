import type { ChangeSink, StoreChange } from '../contract/change.ts'

/** Where a client hears of changes, its own and those of other tabs. */
export interface ChangeFeed {
  subscribe(listener: ChangeSink): () => void
  /** Tells the listeners of this page. */
  readonly emit: ChangeSink
  /** Tells the listeners of this page and all other tabs: for stores that live in this realm. */
  readonly announce: ChangeSink
  /**
   * Begins to hear other tabs: for stores that live in this realm.
   *
   * @returns how the store hears them, before everybody else; absent where tabs can't hear each other
   */
  join(name: string): ((listener: ChangeSink) => void) | undefined
  close(): void
}

export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<ChangeSink>()
  let channel: BroadcastChannel | undefined

  const emit = (change: StoreChange): void => {
    for (const listener of [...listeners]) {
      try {
        listener(change)
      } catch (error) {
        // One listener's mistake is its own: it is reported, and the others still hear.
        setTimeout(() => {
          throw error
        })
      }
    }
  }

  return {
    subscribe: (listener) => {
      // A listener of its own for each subscription, so that one function can subscribe twice.
      const own: ChangeSink = (change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit,
    announce: (change) => {
      emit(change)
      channel?.postMessage(change)
    },
    join: (name) => {
      const joined = openChannel(`keepsession:${name}`)
      if (joined === undefined) return undefined
      let first: ChangeSink = () => undefined
      joined.onmessage = ({ data }: MessageEvent<StoreChange>) => {
        first(data)
        emit(data)
      }
      channel = joined
      return (listener) => void (first = listener)
    },
    close: () => {
      listeners.clear()
      channel?.close()
    },
  }
}

/** Absent in old browsers, refused in opaque origins: such tabs don't hear of each other. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
    return channel
  } catch {
    return undefined
  }
}
