import type { TermOptions } from '../contract/term.ts'
import type { ConnectedSessions } from './connected-sessions.ts'
import type { FailedSessions } from './failed-sessions.ts'
import type { FirstLoad } from './first-load.ts'
import type { KeyChanger } from './key-changer.ts'
import type { KeyChecks } from './key-checks.ts'
import type { KeyScopes } from './key-scopes.ts'
import type { ListConnection } from './list-connection.ts'
import type { LocalChanges } from './local-changes.ts'
import type { Presence } from './presence/create-presence.ts'
import type { ListPublisher } from './publish-list.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import type { PurgeEraser } from './purge-eraser.ts'
import type { ReceivedEntries } from './received-entries.ts'
import type { Reporter } from './report.ts'
import type { RetryOptions } from './retry-wait.ts'
import type { ListSaver } from './save-list.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncOptions } from './sync-contract.ts'
import type { SyncDriver } from './sync-driver.ts'
import type { SyncMemory } from './sync-memory.ts'
import type { UnreadableSessions } from './unreadable-sessions.ts'
import type { WatchedSessions } from './watched-sessions.ts'

/** Options of sync, with their defaults. */
export interface SyncSetup extends Pick<SyncOptions, 'store' | 'transport' | 'namespace' | 'follow'> {
  readonly memory: SyncMemory | undefined
  readonly term: TermOptions
  readonly size: number
  readonly liveMs: number
  readonly announceMs: number
  readonly retry: RetryOptions
  readonly now: () => number
}

/** What every part works with: it reports what happens to the driver, and never to another part. */
export interface SyncGround {
  readonly setup: SyncSetup
  readonly driver: SyncDriver
  readonly scopes: KeyScopes
  readonly presence: Presence | undefined
}

/** What is known of single sessions. Each table is cleared by one command. */
export interface SyncTables {
  readonly report: Reporter
  readonly watched: WatchedSessions
  readonly failed: FailedSessions
  readonly settled: SettledSessions
  readonly purges: PurgeAnnouncements
  readonly received: ReceivedEntries
  readonly unreadable: UnreadableSessions
  /** Sessions that have to be exchanged once more although the list says that both sides have the same. */
  readonly doubted: Set<string>
}

/** What does the work: all that has clocks, connections or anything under way. */
export interface SyncWorkers {
  readonly publisher: ListPublisher
  readonly window: ConnectedSessions
  readonly eraser: PurgeEraser
  readonly changes: LocalChanges
  readonly firstLoad: FirstLoad
  readonly list: ListConnection
  readonly keyChecks: KeyChecks
  readonly keyChanger: KeyChanger
  readonly saver: ListSaver
}

export interface SyncParts extends SyncGround, SyncTables, SyncWorkers {}

/** Reports what went wrong. */
export function failure({ send }: SyncDriver): (error: unknown) => void {
  return (error) => void send({ type: 'failed', message: (error as Error).message })
}
