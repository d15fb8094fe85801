export { attachSession } from './agent/attach-session.ts'
export { chatEvents } from './agent/chat/chat-events.ts'
export { createChatHandler } from './agent/chat/create-chat-handler.ts'
export { createCompactionManager } from './agent/create-compaction-manager.ts'
export { createContextManagers } from './agent/create-context-managers.ts'
export { createMemoManager } from './agent/create-memo-manager.ts'
export { createMemoSession } from './agent/create-memo-session.ts'
export { detachSession } from './agent/detach-session.ts'
export { enableQuickSession, type QuickPlace } from './agent/enable-quick-session.ts'
export { checkpointAgent } from './agent/interfaces/checkpoint-agent.ts'
export { contextWithSession } from './agent/interfaces/context-with-session.ts'
export { createMemory } from './agent/interfaces/create-memory.ts'
export { isCheckpointable } from './agent/interfaces/is-checkpointable.ts'
export { isMemoryAware } from './agent/interfaces/is-memory-aware.ts'
export { isSessionAware } from './agent/interfaces/is-session-aware.ts'
export { mustSessionFromContext } from './agent/interfaces/must-session-from-context.ts'
export { restoreAgent } from './agent/interfaces/restore-agent.ts'
export { runWithSession } from './agent/interfaces/run-with-session.ts'
export { sessionFromContext } from './agent/interfaces/session-from-context.ts'
export { defaultContextManager } from './agent/manager-registry.ts'
export { createPicoClawManager } from './agent/picoclaw/create-picoclaw-manager.ts'
export { createSessionManager } from './client/manager/create-session-manager.ts'
export { defaultConfig } from './client/manager/default-config.ts'
export { diffCheckpoints } from './client/manager/diff-checkpoints.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export { summariseAttachments } from './domain/memo/summarise-attachments.ts'
export type { ChatEvent, ChatHandler, ChatHandlerOptions, ChatModel, ChatTool, ModelEvent, ModelRequest, ToolCall } from './agent/chat/types.ts'
export type { AssembleRequest, ContextManager, ContextManagerFactory, ContextManagerParts, ShrinkReason, ShrinkRequest } from './agent/context-manager.ts'
export type { CompactionManagerOptions } from './agent/create-compaction-manager.ts'
export type { MemoManagerOptions } from './agent/create-memo-manager.ts'
export type { AttachedChat, AttachOptions, ChatFunction, ChatRequest, RecordedMessages, RecordHandler, RecordPaths, RecordRequest } from './agent/glue/types.ts'
export type { MemoryOptions } from './agent/interfaces/create-memory.ts'
export type { RunOptions } from './agent/interfaces/run-with-session.ts'
export type { Agent, AgentResult, CheckpointableAgent, Memory, MemoryAwareAgent, MemoryEntry, MemoryRanking, MemoryReader, SessionAwareAgent } from './agent/interfaces/types.ts'
export type { ContextManagerChoice, ContextManagers } from './agent/manager-registry.ts'
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
export type { PicoClawManagerOptions } from './agent/picoclaw/create-picoclaw-manager.ts'
export type { ContextTokens, ModelContext, Summarise, SummaryRequest, TokenCounter, ToolDefinition } from './client/context/types.ts'
export type { CheckpointDiff, DiffMessage } from './client/manager/diff-checkpoints.ts'
export type { AutoSaveSettings, CreateSessionOptions, ListSessionsOptions, ManagedSession, ManagerConfig, SessionManager } from './client/manager/types.ts'
export type { EntryInput, EntryReceipt, EntryRef, EntryView } from './contract/entry.ts'
export type { SessionErrorName } from './contract/errors.ts'
export type { JsonObject, JsonValue } from './contract/json.ts'
export type { Message, MessagePart } from './contract/message.ts'
export type { BranchInfo, CheckpointInfo, SessionListing, SessionMeta } from './contract/meta.ts'
export type { AppendOptions, AppendResult, CheckpointOptions, SessionPage, SessionStore, WriteOptions } from './contract/store.ts'
export type { MemoSettings } from './domain/memo/memo-state.ts'
export type { PolicyResult, ResizeDecision } from './domain/memo/resize-decision.ts'
export type { AttachmentSummary } from './domain/memo/summarise-attachments.ts'
