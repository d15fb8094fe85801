import type { StoreMode } from '../open-options.ts'
import type { Opener } from '../opening/ladder.ts'
import { openRecovery } from '../recovery/open-recovery.ts'
import { repairDamaged } from '../upkeep/repair-damaged.ts'
import { makeJobWorker } from './make-job-worker.ts'
import { startElsewhere } from './start-elsewhere.ts'
import type { StoreHelpers } from './store-helpers.ts'
import { openStoreJobs } from './store-jobs.ts'

/**
 * Creates the helpers of a store in a worker of this mode; they use workers of the same kind.
 *
 * @param openInPage - opens the store in the page
 */
export const createHelpers = (mode: StoreMode, openInPage: Opener): StoreHelpers => ({
  openJobs: (attempt, onChange) => openStoreJobs(attempt, mode, makeJobWorker, openInPage, onChange),
  openRecovery: (link) => openRecovery(link, mode),
  repairRows: (attempt, key) => repairDamaged(attempt, mode, makeJobWorker, openInPage, key),
  startElsewhere,
})
