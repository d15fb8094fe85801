export type { AssembleRequest, ContextManager, ContextManagerFactory, ContextManagerParts, ShrinkReason, ShrinkRequest } from './agent/context-manager.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export type { SessionErrorName } from './contract/errors.ts'
