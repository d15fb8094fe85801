import type { CheckpointDiff } from './checkpoint-diff.ts'
import type { Encryption, ResealReport } from './encryption.ts'
import type { EntryRef } from './entry.ts'
import type { SessionErrorName } from './errors.ts'
import type { MirrorReport } from './mirror.ts'
import type { RepairedRows } from './row-salvage.ts'
import type { RepairReport, VerifyReport } from './store/store-upkeep.ts'
import type { VerifyProblem } from './store/verify-problem.ts'
import type {
  ChangesMessage,
  FailedMessage,
  OpenMessage,
  PingMessage,
  PongMessage,
  ReadyMessage,
  WireError,
} from './worker-protocol.ts'

/** How far a job is. */
export interface JobProgress {
  /** Bytes read by an import, or written by an export. */
  readonly readBytes: number
  /** 0 when the source does not say. */
  readonly totalBytes: number
  readonly entries: number
  readonly skipped: number
}

/** What an import did. */
export interface ImportReport {
  /** Sessions written to. */
  readonly keys: readonly string[]
  /** Entries that were new. */
  readonly added: number
  /** Entries that were stored already. */
  readonly known: number
  /**
   * Lines that could not be imported, with line number and reason. At most 1,000 are listed; `skippedCount` counts them
   * all.
   */
  readonly skipped: readonly SkippedLine[]
  readonly skippedCount: number
  /**
   * Keys of sessions that the source has and that stay deleted, because they were deleted here. They are not in
   * `skipped`. Undelete one, then import again.
   */
  readonly leftDeleted: readonly string[]
}

/** A line of a file that could not be imported. */
export interface SkippedLine {
  /** From 1; 0 means the file as a whole. */
  readonly line: number
  readonly reason: string
  /** Path of the file, where the source has several. */
  readonly file?: string
  /**
   * The name of the error, if it excluded a whole file or session: InvalidInput, TooLarge, VersionConflict,
   * ChecksumMismatch.
   */
  readonly error?: SessionErrorName
}

/** A file of a source with several files: a directory, a list of files, an archive. */
export interface SourceFile {
  /** Its path from the top of the source, with `/`. */
  readonly path: string
  readonly blob: Blob
}

/** What an import of files did. */
export interface FilesReport extends ImportReport {
  /** The sessions, in the order in which they were read. */
  readonly sessions: readonly ImportedSession[]
}

/** A session that received imported entries. */
export interface ImportedSession {
  readonly key: string
  /** The format of its file: `chatgpt`, `claude`, `pi`, … */
  readonly dialect: string
  /** Path of its file. Absent for a source without names, and for directories, which have several files per session. */
  readonly file?: string
  readonly title?: string
  /** Entries that were new. Absent for directories and archives, where only the sums are known. */
  readonly added?: number
  /** Entries that were stored already. */
  readonly known?: number
}

/**
 * The formats that sessions can be exported to. An `archive` has everything (branches, checkpoints, blobs, collections) and is
 * restored exactly; `pi` has all branches; `aixgo` has branches and checkpoints; `agently` has the head line, the
 * context for a model, memo and settings. The others have the transcript (`picoclaw`: the context for a model after its
 * cut). `openai-lines` has one line per session.
 */
export type ExportFormat =
  | 'archive'
  | 'pi'
  | 'picoclaw'
  | 'agently'
  | 'agently-yaml'
  | 'ai-panel'
  | 'aixgo'
  | 'openai'
  | 'openai-lines'
  | 'markdown'

/** What the repair of a whole store did. */
export interface StoreRepairReport extends RepairReport {
  /** One outcome for each session that had a problem, or that lacked entries which the mirror has. */
  readonly outcomes: readonly {
    readonly key: string
    /** Problems that were repaired. */
    readonly repaired: number
    /** Records that were moved out of the way. */
    readonly setAside: number
    /** Whether entries were restored from the mirror. */
    readonly isRefilled: boolean
    /** Problems that remain. */
    readonly left: readonly VerifyProblem[]
  }[]
  /** Everything that was restored from the mirror; absent where there is none. */
  readonly mirror?: MirrorReport
}

/** What a reclaim of a whole store erased. */
export interface ReclaimReport {
  readonly sessions: number
  /** Entries that nothing showed and that were erased. */
  readonly erased: number
}

/** Formats that can be given to an import if the content alone should not decide. */
export type ImportFormat = 'pi' | 'picoclaw' | 'agently'

/** Work for a job worker. */
export type JobTask =
  | {
      readonly kind: 'importFiles'
      readonly files: readonly SourceFile[]
      readonly dryRun: boolean
      readonly format?: ImportFormat | undefined
      readonly key?: string | undefined
    }
  | {
      readonly kind: 'exportFiles'
      readonly format: ExportFormat
      readonly keys?: readonly string[] | undefined
      readonly as: 'files' | 'zip'
    }
  | { readonly kind: 'verifyStore' | 'repairStore' | 'reclaimStore'; readonly key?: string | undefined }
  /** `damaged`: keys of sessions with a part that could not be read. */
  | { readonly kind: 'keepMirror'; readonly damaged: readonly string[] }
  | { readonly kind: 'repairRows'; readonly key: string }
  /** Stores the path to an entry as another session. */
  | {
      readonly kind: 'copyPath'
      readonly key: string
      readonly leaf: EntryRef
      readonly into: string
      readonly isDrawn: boolean
    }
  /** `to`: another checkpoint; absent: what is shown now. */
  | { readonly kind: 'diffCheckpoints'; readonly key: string; readonly from: string; readonly to?: string | undefined }
  /** `to`: the new key or passphrase of the store, or `null` for none; absent: unchanged. */
  | { readonly kind: 'changeEncryption'; readonly to?: Encryption | null | undefined; readonly rotate: boolean }

/** The result of each kind of work. */
interface JobResults extends Record<JobTask['kind'], unknown> {
  readonly importFiles: FilesReport
  readonly exportFiles: readonly SourceFile[]
  readonly verifyStore: VerifyReport
  readonly repairStore: StoreRepairReport
  readonly reclaimStore: ReclaimReport
  /** `undefined` where there is no mirror. */
  readonly keepMirror: MirrorReport | undefined
  /** `undefined` if the rows can't be rebuilt. */
  readonly repairRows: RepairedRows | undefined
  readonly copyPath: undefined
  readonly diffCheckpoints: CheckpointDiff
  readonly changeEncryption: ResealReport
}

/** The result of a task. */
export type JobResult<T extends JobTask = JobTask> = JobResults[T['kind']]

/**
 * The first message to a job worker that runs tasks. With {@link OpenMessage} instead, a job worker hosts a store as a
 * session worker does.
 */
export type OpenJobsMessage = Pick<
  OpenMessage,
  'protocol' | 'name' | 'blockedAfterMs' | 'mirror' | 'encryption' | 'bucket'
> & { readonly keepsession: 'open-jobs' }

/** Messages of a page to a job worker, over the port that came with `open-jobs`. */
export type JobRequest =
  | OpenJobsMessage
  | PingMessage
  | { readonly keepsession: 'start'; readonly id: number; readonly task: JobTask }
  | { readonly keepsession: 'cancel'; readonly id: number }

/**
 * Messages of a job worker: `ready` or `failed`, then the progress of each job, the changes it made, and one `done` or
 * `error`.
 */
export type JobReply =
  | ReadyMessage
  | FailedMessage
  | PongMessage
  | ChangesMessage
  | { readonly keepsession: 'progress'; readonly id: number; readonly progress: JobProgress }
  | { readonly keepsession: 'done'; readonly id: number; readonly result: JobResult }
  | { readonly keepsession: 'error'; readonly id: number; readonly error: WireError }
