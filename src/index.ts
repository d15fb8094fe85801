export { createDeviceKey } from './client/opening/create-device-key.ts'
export { deleteSessionStore } from './client/opening/delete-session-store.ts'
export { openSessionStore } from './client/opening/open-session-store.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export type {
  AgentlyExportOptions,
  AgentlyImportOptions,
  ChangeEncryptionOptions,
  CheckOptions,
  CompactReport,
  ExportedFile,
  ExportFormat,
  FilesReport,
  FilesSource,
  ImportedSession,
  ImportOptions,
  ImportReport,
  Job,
  JobProgress,
  LiveQuery,
  InterruptedReply,
  MessageStream,
  OpenOptions,
  PersistAnswer,
  RoutedSession,
  SearchOptions,
  PicoClawExportOptions,
  RecoveryReport,
  RecoveryRung,
  Session,
  SessionClient,
  SessionIdentity,
  SessionInit,
  SkippedLine,
  SourceFile,
  StoreHealth,
  StoreMode,
  StoreRepairReport,
  StreamOptions,
  Transcript,
  TranscriptSnapshot,
} from './client/types.ts'
export type { Encryption, EncryptionState, ResealReport } from './contract/encryption.ts'
export type {
  BranchedSessionOptions,
  BranchMerge,
  BranchOperations,
  BranchPreview,
  CustomMessage,
  ForkChoice,
  LineOperations,
  NewBranchOptions,
  SessionTree,
  TreeFork,
} from './client/branches/branch-types.ts'
export type { RetentionAction, RetentionPolicy, RetentionReason, RetentionReport } from './client/retention/retention-policy.ts'
export type {
  CompactionOutcome,
  CompactionProgress,
  CompactOptions,
  ContextOptions,
  ContextTokens,
  ModelContext,
  Summarise,
  SummaryRequest,
  TitleFunction,
  TitleOptions,
  TokenCounter,
  ToolDefinition,
} from './client/context/context-types.ts'
export type { LeaderState, LeaderWork, LeadOptions } from './client/leadership/leadership-types.ts'
export type { ChangeSink, DraftChange, DraftChunk, DraftPart, DraftView, LostData, NoticeChange, RowRef, SessionChange, SpaceReport, StoreChange } from './contract/change.ts'
export type { Entry, EntryInput, EntryReceipt, EntryRef, EntryView, LineInput, MessageInput, VersionVector } from './contract/entry.ts'
export type { SessionErrorName } from './contract/errors.ts'
export type { Reclaimable } from './contract/reclaimable.ts'
export type { InboundMessage, MessageIdentity, PicoclawMessage, RoutingConfig } from './contract/message-identity.ts'
export type { JsonObject, JsonPrimitive, JsonValue } from './contract/json.ts'
export type { Message, MessagePart } from './contract/message.ts'
export type { BranchInfo, CheckpointInfo, MetaPatch, SessionListing, SessionMeta, TitleSource } from './contract/meta.ts'
export type { SessionScope } from './contract/scope.ts'
export type { LeaderTerm, TermClaim, TermOptions } from './contract/term.ts'
export type { SearchFilter, SearchHit, SearchProgress, SearchSnippet } from './contract/search.ts'
export type { PathContext } from './dialects/pi/rules/path-context.ts'
export type {
  AppendOptions,
  AppendResult,
  RemoveResult,
  BranchOptions,
  ChangesPage,
  CheckpointOptions,
  CompactionInput,
  DraftOptions,
  Durability,
  EnsureMetadataResult,
  EntryPage,
  HiddenPart,
  HistoryOptions,
  ListQuery,
  MergeOptions,
  PurgeOptions,
  MergeResult,
  KindUsage,
  MetaOptions,
  OwnEntries,
  ReadOptions,
  RepairReport,
  SessionPage,
  SessionStore,
  SessionUsage,
  StoredKind,
  UnflushedWrites,
  UsageOptions,
  UsageReport,
  VerifyProblem,
  VerifyReport,
  View,
  WriteOptions,
} from './contract/store.ts'
