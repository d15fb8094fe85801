import type { TermOptions } from '../contract/term.ts'
import type { FailedSessions } from './failed-sessions.ts'
import type { KeyScope } from './key-scope.ts'
import type { Presence } from './presence/create-presence.ts'
import type { ListPublisher } from './publish-list.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import type { ReceivedEntries } from './received-entries.ts'
import type { Reporter } from './report.ts'
import type { SessionWindowOptions } from './session-window-options.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncOptions } from './sync-contract.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface ConnectedSessionsOptions
  extends Pick<SyncOptions, 'store' | 'transport' | 'namespace'>,
    Pick<SessionWindowOptions, 'size' | 'liveMs' | 'now'> {
  readonly our: () => KeyScope
  readonly term: TermOptions
  readonly presence: Presence | undefined
  readonly watched: WatchedSessions
  readonly failed: FailedSessions
  readonly settled: SettledSessions
  readonly publisher: ListPublisher
  readonly purges: Pick<PurgeAnnouncements, 'get' | 'dueLife' | 'emptied'>
  readonly received: Pick<ReceivedEntries, 'add'>
  readonly report: Reporter
  readonly isClosed: () => boolean
  readonly onReadonly: () => void
  /**
   * Sessions have to be reviewed: another device purged one while it was exchanged, or one may have been restarted
   * while the server removed what was purged.
   */
  readonly onOpen: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}
