import { namesOf } from '../../domain/names-of.ts'
import type { SessionClient } from '../client-contract.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { openChannel } from '../worker/open-channel.ts'

/** The channel on which whoever deletes a store asks all tabs to close it. */
export const deletionChannel = (name: string): string => `${namesOf(name)}:delete`

/** Closes the client when its store is being deleted, by this tab or another one, and reports it. */
export function closeWhenDeleted(
  { name, feed }: Pick<OpeningAttempt, 'name' | 'feed'>,
  client: Pick<SessionClient, 'close'>,
): void {
  const channel = openChannel(deletionChannel(name))
  if (channel === undefined) return
  const stop = (): void => channel.close()
  feed.ending.addEventListener('abort', stop)
  channel.onmessage = () => {
    stop()
    feed.emit({
      type: 'notice',
      name: 'storeDeleted',
      message: `The store "${name}" is being deleted, so it was closed here. Open it again to begin with an empty one.`,
    })
    // Whoever deletes it reports a store that stays open.
    client.close().catch(() => undefined)
  }
}
