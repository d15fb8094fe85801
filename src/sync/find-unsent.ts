import type { SessionStore } from '../contract/store/session-store.ts'
import { hasMoreThanPurged } from './has-more-than-purged.ts'
import type { KeyScope } from './key-scope.ts'
import { planSync } from './plan-sync.ts'
import type { ListPublisher } from './publish-list.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import type { ReceivedEntries } from './received-entries.ts'
import { lifeThere, standingOf } from './session-standing.ts'
import type { SessionWindow } from './session-window.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { Unsent } from './status.ts'

export interface FindUnsentOptions {
  readonly store: Pick<SessionStore, 'getBlob'>
  readonly our: KeyScope
  readonly window: Pick<SessionWindow, 'state'>
  readonly settled: SettledSessions
  readonly publisher: Pick<ListPublisher, 'isUnreported'>
  readonly purges: Pick<PurgeAnnouncements, 'all' | 'load'>
  readonly received: Pick<ReceivedEntries, 'of'>
  /** Blobs that an earlier run left. */
  readonly leftBlobs: readonly string[]
}

/** Finds what the other side is not known to have, connected or not. The list says what was exchanged once. */
export async function findUnsent({
  store,
  our,
  window,
  settled,
  publisher,
  purges,
  received,
  leftBlobs,
}: FindUnsentOptions): Promise<Unsent> {
  await Promise.all([our.locals.refresh(), purges.load()])
  const { upload, exchange, erase } = planSync(our.locals, our.index.entries())
  // Both sides never get to the same state where something is refused here.
  const isSent = (key: string): boolean => window.state(key) === 'synced' && settled.has(key)
  // What is still to be erased here may have more than the device knew that purged it.
  const isKeptSoon = (key: string): boolean => {
    const local = our.locals.all.get(key)!
    const entry = our.index.entries().get(local.id)!
    return hasMoreThanPurged(local, entry, received.of(key, lifeThere(entry)))
  }
  const sessions = [...[...upload, ...exchange].filter((key) => !isSent(key)), ...erase.filter(isKeptSoon)]
  const open = [...new Set([...our.blobs.open(), ...leftBlobs])]
  // Blobs that are not here cannot be sent from here.
  const here = await Promise.all(open.map((hash) => store.getBlob(hash).catch(() => undefined)))
  const unreported = purges.all().flatMap(({ key }) => (publisher.isUnreported(key) ? [key] : []))
  // A session that is kept because it was purged elsewhere exists on no other device. Of unreadable sessions it is
  // unknown how much was sent.
  const kept = [...our.locals.all.values()].flatMap((local) =>
    standingOf(local, our.index.entries().get(local.id)) === 'kept' ? [local.listing.key] : [],
  )
  return {
    sessions: [...sessions, ...kept, ...our.locals.unreadable.keys(), ...unreported],
    attachments: here.filter((blob) => blob !== undefined).length,
  }
}
