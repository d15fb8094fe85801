// What a page may load after the store is open: one chunk, so that it comes in one request (and
// what it shares with `keepsession/identity` in another).
export { createSessionRouter } from '../domain/identity/create-session-router.ts'
export { announceOpening } from './announce-opening.ts'
export { createSessionOpener } from './session-opener.ts'
export { followSessionList } from './session-list.ts'
export { openLeadership } from './leadership/open-leadership.ts'
export { clientMethods } from './client-methods.ts'
export { checkRetention } from './retention/check-retention.ts'
export { openStoreJobs } from './store-jobs.ts'
export { openRecovery } from './open-recovery.ts'
export { startElsewhere } from './start-elsewhere.ts'
export { makeWhole } from './make-whole.ts'
