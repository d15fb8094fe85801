import { createFailedSessions } from './failed-sessions.ts'
import { createPurgeAnnouncements } from './purge-announcements.ts'
import { createReceivedEntries } from './received-entries.ts'
import { createReport } from './report.ts'
import { createSettledSessions } from './settled-sessions.ts'
import { failure, type SyncGround, type SyncTables } from './sync-parts.ts'
import { createUnreadableSessions } from './unreadable-sessions.ts'
import { createWatchedSessions } from './watched-sessions.ts'

export function createSyncTables({ setup, driver, scopes }: SyncGround): SyncTables {
  const { store, retry } = setup
  return {
    report: createReport(),
    watched: createWatchedSessions({
      onChange: (key, isWatched) => void driver.send({ type: 'watched', key, isWatched }),
    }),
    failed: createFailedSessions({ retry, onRetry: (keys) => void driver.send({ type: 'retryDue', keys }) }),
    settled: createSettledSessions(scopes.current),
    purges: createPurgeAnnouncements(store),
    received: createReceivedEntries(),
    unreadable: createUnreadableSessions({
      retry,
      locals: () => scopes.current().locals,
      onRetried: () => void driver.send({ type: 'sessionsReread' }),
      onError: failure(driver),
    }),
    doubted: new Set(),
  }
}
