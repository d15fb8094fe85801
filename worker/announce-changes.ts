import type { ChangeSink, StoreChange } from '../src/contract/change.ts'
import type { Announcement, ChangesMessage } from '../src/contract/worker-protocol.ts'

export interface Announcer {
  readonly add: ChangeSink
  /** Tells what there is to tell. */
  flush(): void
  /** Hears the changes of other tabs. */
  follow(listener: ChangeSink): void
  close(): void
}

/**
 * Tells the page of this worker what changed, over its port, and all other tabs over the BroadcastChannel.
 *
 * What one call changes goes out in one message, so that a sealed draft and its entry reach the screen together; and before the
 * answer to the call, so that who awaits a write finds it in the live queries.
 */
export function announceChanges(name: string, boot: string, port: MessagePort): Announcer {
  const channel = openChannel(`keepsession:${name}`)
  let waiting: StoreChange[] = []

  function flush(): void {
    if (waiting.length === 0) return
    port.postMessage({ keepsession: 'changes', changes: waiting } satisfies ChangesMessage)
    for (const change of waiting) channel?.postMessage({ from: boot, change } satisfies Announcement)
    waiting = []
  }

  return {
    add: (change) => {
      // For changes that no call waits for.
      if (waiting.push(change) === 1) setTimeout(flush)
    },
    flush,
    follow: (listener) => {
      if (channel !== undefined) channel.onmessage = ({ data }: MessageEvent<Announcement>) => listener(data.change)
    },
    close: () => {
      flush()
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
