export type {
  AttachedChat,
  AttachOptions,
  ChatFunction,
  ChatRequest,
  RecordedMessages,
  RecordHandler,
  RecordPaths,
  RecordRequest,
} from './dialects/agently/attach/attach-types.ts'
export { attachSession } from './dialects/agently/attach-session.ts'
export type { MemoManagerOptions } from './dialects/agently/create-memo-manager.ts'
export { createMemoManager } from './dialects/agently/create-memo-manager.ts'
export { createMemoSession } from './dialects/agently/create-memo-session.ts'
export { detachSession } from './dialects/agently/detach-session.ts'
export { enableQuickSession, type QuickPlace } from './dialects/agently/enable-quick-session.ts'
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
} from './dialects/agently/memo-types.ts'
export type { MemoSettings } from './dialects/agently/rules/memo-state.ts'
export type { PolicyResult, ResizeDecision } from './dialects/agently/rules/resize-decision.ts'
export type { AttachmentSummary } from './dialects/agently/rules/summarise-attachments.ts'
export { summariseAttachments } from './dialects/agently/rules/summarise-attachments.ts'
