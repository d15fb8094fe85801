// Code that a page may load after the store is open: one chunk, so that it takes one request (and the code it shares
// with `keepsession/identity` another one).
export { createSessionRouter } from '../../domain/identity/create-session-router.ts'
export { checkRetention } from '../retention/check-retention.ts'
export { createHelpers } from '../worker/create-helpers.ts'
export { announceOpening } from './announce-opening.ts'
export { createLaterMethods } from './later-methods.ts'
export { makeWhole } from './make-whole.ts'
