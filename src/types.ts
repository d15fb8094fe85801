// Types that the other entries mention and that few apps need to name.
export type {
  CompactionProgress,
  ContextTokens,
  SummaryRequest,
  ToolDefinition,
} from './client/context/context-types.ts'
export type { StoreMode } from './client/open-options.ts'
export type { RetentionAction, RetentionReason } from './client/retention/retention-policy.ts'
export type { RecoveryReport, RecoveryRung } from './client/store-health.ts'
export type {
  ChangeSink,
  CollectionChange,
  DraftChange,
  DraftChunk,
  DraftPart,
  DraftView,
  LostData,
  NoticeChange,
  RowRef,
  SpaceReport,
} from './contract/change.ts'
export type { DiffMessage } from './contract/checkpoint-diff.ts'
export type { EncryptionState } from './contract/encryption.ts'
export type { Entry, LineInput, MessageInput, VersionVector } from './contract/entry.ts'
export type { ImportedSession, ImportFormat, ImportReport, SkippedLine, SourceFile } from './contract/job.ts'
export type { JsonPrimitive } from './contract/json.ts'
export type { MessageIdentity, PicoclawMessage } from './contract/message-identity.ts'
export type { MetaPatch, TitleSource } from './contract/meta.ts'
export type { Reclaimable } from './contract/reclaimable.ts'
export type { SessionScope } from './contract/scope.ts'
export type { SearchFilter, SearchProgress, SearchSnippet } from './contract/search.ts'
export type {
  EntryContent,
  PopOptions,
  PutOptions,
  PutResult,
  TransactOptions,
  TransactResult,
} from './contract/store/atomic-changes.ts'
export type {
  CollectionRow,
  CollectionUsage,
  RowPage,
  RowRange,
  RowsReport,
  RowValue,
  RowWrite,
} from './contract/store/collections.ts'
export type { ChangesPage, MergeOptions, MergeResult } from './contract/store/log-exchange.ts'
export type { HistoryOptions } from './contract/store/picoclaw-store.ts'
export type { BranchOptions } from './contract/store/session-branches.ts'
export type { CheckpointOptions } from './contract/store/session-checkpoints.ts'
export type { CompactionInput } from './contract/store/session-compactions.ts'
export type { DraftOptions } from './contract/store/session-drafts.ts'
export type { PurgeOptions } from './contract/store/session-lifecycle.ts'
export type {
  EntryPage,
  HiddenPart,
  OwnEntries,
  ReadOptions,
  RemoveResult,
  View,
} from './contract/store/session-log.ts'
export type { EnsureMetadataResult, MetaOptions } from './contract/store/session-metadata.ts'
export type {
  KindUsage,
  RepairReport,
  SessionUsage,
  StoredKind,
  UnflushedWrites,
  UsageOptions,
  UsageReport,
  VerifyReport,
} from './contract/store/store-upkeep.ts'
export type { VerifyProblem } from './contract/store/verify-problem.ts'
export type { Durability } from './contract/store/write-options.ts'
export type { LeaderTerm, TermClaim, TermOptions } from './contract/term.ts'
