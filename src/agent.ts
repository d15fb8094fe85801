export type { AssembleRequest, ContextManager, ContextManagerFactory, ContextManagerParts, ShrinkReason, ShrinkRequest } from './agent/context-manager.ts'
export { createMemoSession } from './agent/memo-session.ts'
export type {
  AttachmentSummaryHandler,
  MemoCallOptions,
  MemoConfiguration,
  MemoHandlers,
  MemoLimit,
  MemoModel,
  MemoModelRequest,
  MemoSession,
  MemoSessionOptions,
  MemoUpdateHandler,
  MemoUpdateRequest,
  PolicyHandler,
  PolicyRequest,
  ResizeHandler,
  ResizeOptions,
  ResizeRequest,
  ResizeResult,
  SessionPlace,
} from './agent/memo/types.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export type { SessionErrorName } from './contract/errors.ts'
export type { MemoSettings } from './domain/memo/memo-state.ts'
export type { PolicyResult, ResizeDecision } from './domain/memo/resize-decision.ts'
export { type AttachmentSummary, summariseAttachments } from './domain/memo/summarise-attachments.ts'
