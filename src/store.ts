// The contract of a store in facets, for code that takes, wraps or implements one.
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export type { Blobs } from './contract/store/blob-store.ts'
export type {
  ChangeCursor,
  ChangesPage,
  Exchange,
  MergeOptions,
  MergeResult,
  PurgeRecord,
} from './contract/store/log-exchange.ts'
export type { HistoryOptions, PicoClawStore } from './contract/store/picoclaw-store.ts'
export type { Branches, BranchOptions } from './contract/store/session-branches.ts'
export type { CheckpointOptions, Checkpoints } from './contract/store/session-checkpoints.ts'
export type { CompactionInput, Compactions } from './contract/store/session-compactions.ts'
export type { DraftOptions, Drafts } from './contract/store/session-drafts.ts'
export type { DeleteOptions, Lifecycle, LifeOptions, PurgeOptions } from './contract/store/session-lifecycle.ts'
export type {
  AppendOptions,
  AppendResult,
  EntryPage,
  HiddenPart,
  OwnEntries,
  ReadOptions,
  RemoveResult,
  SessionLog,
  View,
} from './contract/store/session-log.ts'
export type {
  EnsureMetadataResult,
  ListQuery,
  MetaOptions,
  SessionMetadata,
  SessionPage,
} from './contract/store/session-metadata.ts'
export type { CoreStore, JobMethod, SessionStore } from './contract/store/session-store.ts'
export type { StoreEnvironment } from './contract/store/store-environment.ts'
export type { Leadership } from './contract/store/store-leadership.ts'
export type {
  KindUsage,
  RepairReport,
  SessionUsage,
  StoredKind,
  UnflushedWrites,
  Upkeep,
  UsageOptions,
  UsageReport,
  VerifyReport,
} from './contract/store/store-upkeep.ts'
export type { VerifyProblem } from './contract/store/verify-problem.ts'
export type { DeletedOptions, Durability, KeyOptions, WriteOptions } from './contract/store/write-options.ts'
