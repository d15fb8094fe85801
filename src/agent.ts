export { attachSession } from './dialects/agently/attach-session.ts'
export { chatEvents } from './dialects/chat/chat-events.ts'
export { createChatHandler } from './dialects/chat/create-chat-handler.ts'
export { createCompactionManager } from './dialects/picoclaw/create-compaction-manager.ts'
export { createContextManagers } from './dialects/chat/create-context-managers.ts'
export { createMemoManager } from './dialects/agently/create-memo-manager.ts'
export { createMemoSession } from './dialects/agently/create-memo-session.ts'
export { detachSession } from './dialects/agently/detach-session.ts'
export { enableQuickSession, type QuickPlace } from './dialects/agently/enable-quick-session.ts'
export { checkpointAgent } from './dialects/aixgo/agents/checkpoint-agent.ts'
export { contextWithSession } from './dialects/aixgo/agents/context-with-session.ts'
export { createMemory } from './dialects/aixgo/agents/create-memory.ts'
export { isCheckpointable } from './dialects/aixgo/agents/is-checkpointable.ts'
export { isMemoryAware } from './dialects/aixgo/agents/is-memory-aware.ts'
export { isSessionAware } from './dialects/aixgo/agents/is-session-aware.ts'
export { mustSessionFromContext } from './dialects/aixgo/agents/must-session-from-context.ts'
export { restoreAgent } from './dialects/aixgo/agents/restore-agent.ts'
export { runWithSession } from './dialects/aixgo/agents/run-with-session.ts'
export { sessionFromContext } from './dialects/aixgo/agents/session-from-context.ts'
export { defaultContextManager } from './dialects/picoclaw/manager-registry.ts'
export { createPicoClawManager } from './dialects/picoclaw/create-picoclaw-manager.ts'
export { createSessionManager } from './dialects/aixgo/manager/create-session-manager.ts'
export { defaultConfig } from './dialects/aixgo/manager/default-config.ts'
export { diffCheckpoints } from './client/session/diff-checkpoints.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export { summariseAttachments } from './dialects/agently/rules/summarise-attachments.ts'
export type { ChatEvent, ChatHandler, ChatHandlerOptions, ChatModel, ChatTool, ModelEvent, ModelRequest, ToolCall } from './dialects/chat/chat-types.ts'
export type { AssembleRequest, ContextManager, ContextManagerFactory, ContextManagerParts, ShrinkReason, ShrinkRequest } from './dialects/picoclaw/context-manager.ts'
export type { CompactionManagerOptions } from './dialects/picoclaw/create-compaction-manager.ts'
export type { MemoManagerOptions } from './dialects/agently/create-memo-manager.ts'
export type { AttachedChat, AttachOptions, ChatFunction, ChatRequest, RecordedMessages, RecordHandler, RecordPaths, RecordRequest } from './dialects/agently/attach/attach-types.ts'
export type { MemoryOptions } from './dialects/aixgo/agents/create-memory.ts'
export type { RunOptions } from './dialects/aixgo/agents/run-with-session.ts'
export type { Agent, AgentResult, CheckpointableAgent, Memory, MemoryAwareAgent, MemoryEntry, MemoryRanking, MemoryReader, SessionAwareAgent } from './dialects/aixgo/agents/agent-types.ts'
export type { ContextManagerChoice, ContextManagers } from './dialects/picoclaw/manager-registry.ts'
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
export type { PicoClawManagerOptions } from './dialects/picoclaw/create-picoclaw-manager.ts'
export type { ContextTokens, ModelContext, Summarise, SummaryRequest, TokenCounter, ToolDefinition } from './client/context/context-types.ts'
export type { CheckpointDiff, DiffMessage } from './client/session/diff-checkpoints.ts'
export type { AutoSaveSettings, CreateSessionOptions, ListSessionsOptions, ManagedSession, ManagerConfig, SessionManager } from './dialects/aixgo/manager/manager-types.ts'
export type { EntryInput, EntryReceipt, EntryRef, EntryView } from './contract/entry.ts'
export type { SessionErrorName } from './contract/errors.ts'
export type { JsonObject, JsonValue } from './contract/json.ts'
export type { Message, MessagePart } from './contract/message.ts'
export type { BranchInfo, CheckpointInfo, SessionListing, SessionMeta } from './contract/meta.ts'
export type { AppendOptions, AppendResult, CheckpointOptions, SessionPage, SessionStore, WriteOptions } from './contract/store.ts'
export type { MemoSettings } from './dialects/agently/rules/memo-state.ts'
export type { PolicyResult, ResizeDecision } from './dialects/agently/rules/resize-decision.ts'
export type { AttachmentSummary } from './dialects/agently/rules/summarise-attachments.ts'
