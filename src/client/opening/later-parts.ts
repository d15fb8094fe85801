// Code that a page may load after the store is open. All of it together: each part that is loaded by itself makes
// bundlers put what it shares with the others into further files, and each file takes the time of a request.
export { createSessionRouter } from '../../domain/identity/create-session-router.ts'
export { createSearch } from '../create-search.ts'
export { changeEncryption, exportAs, importFrom, reclaim, repair, runJob, verify } from '../files/client-jobs.ts'
export { checkRetention } from '../retention/check-retention.ts'
export { createHelpers } from '../worker/create-helpers.ts'
export { announceOpening } from './announce-opening.ts'
export { createLaterMethods } from './later-methods.ts'
export { makeWhole } from './make-whole.ts'
