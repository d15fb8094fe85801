import type { KeyScope } from './key-scope.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import type { SettledSessions } from './settled-sessions.ts'

export interface ListPublisherOptions {
  readonly our: () => KeyScope
  readonly purges: Pick<PurgeAnnouncements, 'all' | 'get' | 'isExpected'>
  readonly settled: Pick<SettledSessions, 'entryOf'>
  readonly mayPublish: () => boolean
  readonly isClosed: () => boolean
  /** The list has something new that the other side has to get. */
  readonly onPublished: () => void
  /** The purges were announced, or cannot be now. */
  readonly onAnnounced: () => void
  readonly onError: (error: unknown) => void
}
