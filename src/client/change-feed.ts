import type { ChangeSink, StoreChange } from '../contract/change.ts'
import type { Announcement } from '../contract/worker-protocol.ts'
import { drawId } from './draw-id.ts'

/** Where a client hears of changes, its own and those of other tabs. */
export interface ChangeFeed {
  subscribe(listener: ChangeSink): () => void
  /** Tells the listeners of this page. */
  readonly emit: ChangeSink
  /** Tells the listeners of this page and all other tabs: for stores that live in this realm. */
  readonly announce: ChangeSink
  /** Begins to hear other tabs. */
  join(name: string): void
  /** Hears other tabs only, before everybody else. */
  onOthers(listener: ChangeSink): void
  /** Leaves out announcements of this worker: they come over its port as well. */
  ignore(boot: string): void
  close(): void
}

export function createChangeFeed(): ChangeFeed {
  const id = drawId()
  const listeners = new Set<ChangeSink>()
  const ignored = new Set<string>()
  let channel: BroadcastChannel | undefined
  let others: ChangeSink = () => undefined

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
      channel?.postMessage({ from: id, change } satisfies Announcement)
    },
    join: (name) => {
      channel ??= openChannel(`keepsession:${name}`)
      if (channel === undefined) return
      channel.onmessage = ({ data }: MessageEvent<Announcement>) => {
        if (ignored.has(data.from)) return
        others(data.change)
        emit(data.change)
      }
    },
    onOthers: (listener) => void (others = listener),
    ignore: (boot) => void ignored.add(boot),
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
