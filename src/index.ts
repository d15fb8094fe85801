export type {
  BranchMerge,
  BranchPreview,
  CopyOptions,
  ForkChoice,
  NewBranchOptions,
  SessionTree,
  TreeFork,
} from './client/branches/branch-types.ts'
export type {
  ChangeEncryptionOptions,
  CheckOptions,
  ClientBlobs,
  ClientFiles,
  ClientUpkeep,
  ExportedFile,
  ExportOptions,
  FilesSource,
  ImportOptions,
  SearchOptions,
  SessionClient,
} from './client/client-contract.ts'
export type { Collection } from './client/collection.ts'
export type {
  CompactionOutcome,
  CompactOptions,
  ContextOptions,
  ModelContext,
  Summarise,
  TitleFunction,
  TitleOptions,
  TokenCounter,
} from './client/context/context-types.ts'
export type { Job } from './client/job-handle.ts'
export type { LeaderState, LeaderWork, LeadOptions } from './client/leadership/leadership-types.ts'
export type { LiveQuery } from './client/live-value.ts'
export type { InterruptedReply, MessageStream, StreamOptions } from './client/message-stream-types.ts'
export type { OpenOptions } from './client/open-options.ts'
export { createDeviceKey } from './client/opening/create-device-key.ts'
export { deleteSessionStore } from './client/opening/delete-session-store.ts'
export { openSessionStore } from './client/opening/open-session-store.ts'
export type { RetentionPolicy, RetentionReport } from './client/retention/retention-policy.ts'
export type { MessageSchema } from './client/session/check-by-schema.ts'
export type {
  RoutedSession,
  Session,
  SessionBranches,
  SessionIdentity,
  SessionInit,
  Transcript,
  TranscriptSnapshot,
} from './client/session-contract.ts'
export type { SessionCheckpoints, SessionEntries } from './client/session-groups.ts'
export type { PersistAnswer, StoreHealth } from './client/store-health.ts'
export type { SessionChange, StoreChange } from './contract/change.ts'
export type { CheckpointDiff } from './contract/checkpoint-diff.ts'
export type { Encryption, ResealReport } from './contract/encryption.ts'
export type { EntryInput, EntryReceipt, EntryRef, EntryView } from './contract/entry.ts'
export type { SessionErrorName } from './contract/errors.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export type { ExportFormat, FilesReport, JobProgress, ReclaimReport, StoreRepairReport } from './contract/job.ts'
export type { JsonObject, JsonValue } from './contract/json.ts'
export type { Message, MessagePart } from './contract/message.ts'
export type { InboundMessage, RoutingConfig } from './contract/message-identity.ts'
export type { BranchInfo, CheckpointInfo, SessionListing, SessionMeta } from './contract/meta.ts'
export type { SearchHit } from './contract/search.ts'
export type { EntryChange } from './contract/store/atomic-changes.ts'
export type { AppendOptions, AppendResult } from './contract/store/session-log.ts'
export type { ListQuery, SessionPage } from './contract/store/session-metadata.ts'
export type { SessionStore } from './contract/store/session-store.ts'
export type { WriteOptions } from './contract/store/write-options.ts'
