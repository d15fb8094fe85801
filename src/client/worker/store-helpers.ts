import type { ChangeSink } from '../../contract/change.ts'
import type { RepairedRows } from '../../contract/row-salvage.ts'
import type { JobMethod } from '../../contract/store/session-store.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import type { Recovery } from '../recovery/recovery.ts'
import type { RecoveryLink } from '../recovery/recovery-ways.ts'
import type { startElsewhere } from './start-elsewhere.ts'

/** Does the jobs of a store in a worker other than the store's. */
export interface StoreJobs {
  run(method: JobMethod, args: readonly unknown[]): Promise<unknown>
  /** Settles running jobs, and ends their worker. */
  close(): Promise<void>
}

/** What helper workers, which run alongside the worker of a store, do for it. */
export interface StoreHelpers {
  /** Prepares to run a store's jobs, and reports their changes. */
  openJobs(attempt: OpeningAttempt, onChange: ChangeSink): StoreJobs
  /** Finds other ways to reach the database after the first one failed. */
  openRecovery(link: RecoveryLink): Recovery
  /** Rebuilds unreadable rows of a session. */
  repairRows(attempt: OpeningAttempt, key: string): Promise<RepairedRows | undefined>
  /** Starts the first worker if its database can't be opened as usual. @throws the given error, if nothing helps */
  readonly startElsewhere: typeof startElsewhere
}
