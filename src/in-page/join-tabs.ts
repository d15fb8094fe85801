import type { ChangeFeed } from '../client/session/change-feed.ts'
import { openChannel } from '../client/worker/open-channel.ts'
import type { ChangeSink } from '../contract/change.ts'
import { isStoreChange } from '../domain/is-store-change.ts'
import { namesOf } from '../domain/names-of.ts'
import type { SessionStoreOptions } from '../storage/create-session-store.ts'

/**
 * Connects a store in this realm with those of other tabs, over the BroadcastChannel `keepsession:<name>`, until its
 * feed ends.
 *
 * @returns how the store announces its changes to other tabs, and how it follows theirs, which reach the store before
 * its page. The latter is absent where tabs can't reach each other
 */
export function joinTabs(name: string, feed: ChangeFeed): Pick<SessionStoreOptions, 'onChange' | 'follow'> {
  const channel = openChannel(namesOf(name))
  if (channel === undefined) return { onChange: feed.emit }
  let first: ChangeSink = () => undefined
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!isStoreChange(data)) return
    first(data)
    feed.emit(data)
  }
  feed.ending.addEventListener('abort', () => channel.close())
  return {
    onChange: (change) => {
      feed.emit(change)
      if (!feed.ending.aborted) channel.postMessage(change)
    },
    follow: (listener) => void (first = listener),
  }
}
