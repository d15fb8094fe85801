import type { Encryption, ResealReport } from './encryption.ts'
import type { SessionErrorName } from './errors.ts'
import type { MirrorReport } from './mirror.ts'
import type { RepairedRows } from './row-salvage.ts'
import type { RepairReport, VerifyProblem, VerifyReport } from './store/store-upkeep.ts'
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
  /** Bytes read of what is imported, or written of what is exported. */
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
  /** Entries that were there already. */
  readonly known: number
  /**
   * Lines that could not be taken, with line number and reason; at most 1,000 are listed, `skippedCount` counts them
   * all.
   */
  readonly skipped: readonly SkippedLine[]
  readonly skippedCount: number
}

/** A line of a file that could not be taken. */
export interface SkippedLine {
  /** From 1; 0 means the file as a whole. */
  readonly line: number
  readonly reason: string
  /** Path of the file, where the source has several. */
  readonly file?: string
  /**
   * The kind of error, where it kept out a whole file or session: InvalidInput, TooLarge, VersionConflict,
   * ChecksumMismatch.
   */
  readonly error?: SessionErrorName
}

/** A file of a source of several: a directory, a list of files, an archive. */
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

/** A session that something was imported into. */
export interface ImportedSession {
  readonly key: string
  /** Whose format its file has: `chatgpt`, `claude`, `pi`, … */
  readonly dialect: string
  /**
   * Path of its file. Absent for a source without names, and for directories, which have several files for a session.
   */
  readonly file?: string
  readonly title?: string
  /** Entries that were new. Absent for directories and archives, where only the sums are known. */
  readonly added?: number
  /** Entries that were there already. */
  readonly known?: number
}

/**
 * What sessions can be written as. An `archive` has everything (branches, checkpoints, blobs) and is restored exactly;
 * `pi` has all branches; `aixgo` branches and checkpoints; `agently` the head line, what a model gets of it, memo and
 * settings. The others have what a person can scroll to (`picoclaw`: what a model gets after its cut). `openai-lines`
 * has a line for each session.
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
  /** For each session that something was wrong with, or that lacked entries which the mirror has. */
  readonly outcomes: readonly {
    readonly key: string
    /** Problems that were mended. */
    readonly repaired: number
    /** Records that were moved out of the way. */
    readonly setAside: number
    /** Whether entries came back from the mirror. */
    readonly isRefilled: boolean
    /** What is still wrong. */
    readonly left: readonly VerifyProblem[]
  }[]
  /** What came back from the mirror in all; absent where there is none. */
  readonly mirror?: MirrorReport
}

/** What was reclaimed of the sessions of a store. */
export interface ReclaimReport {
  readonly sessions: number
  /** Entries that nothing showed, and that are gone. */
  readonly erased: number
}

/** Formats that an import can be told, where the content alone should not decide. */
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
  /** `damaged`: keys of sessions of which a part could not be read. */
  | { readonly kind: 'keepMirror'; readonly damaged: readonly string[] }
  | { readonly kind: 'repairRows'; readonly key: string }
  /** `to`: what the store is locked with from now on, or `null` for nothing; absent: as before. */
  | { readonly kind: 'changeEncryption'; readonly to?: Encryption | null | undefined; readonly rotate: boolean }

/** What each kind of work ends with. */
interface JobResults extends Record<JobTask['kind'], unknown> {
  readonly importFiles: FilesReport
  readonly exportFiles: readonly SourceFile[]
  readonly verifyStore: VerifyReport
  readonly repairStore: StoreRepairReport
  readonly reclaimStore: ReclaimReport
  /** `undefined` where there is no mirror. */
  readonly keepMirror: MirrorReport | undefined
  /** `undefined` where that can't be done. */
  readonly repairRows: RepairedRows | undefined
  readonly changeEncryption: ResealReport
}

/** What a task ends with. */
export type JobResult<T extends JobTask = JobTask> = JobResults[T['kind']]

/**
 * The first message of a job, in the place of {@link OpenMessage}: with that, a job worker hosts a store as a session
 * worker does.
 */
export type OpenJobsMessage = Pick<
  OpenMessage,
  'protocol' | 'name' | 'blockedAfterMs' | 'mirror' | 'encryption' | 'bucket'
> & { readonly keepsession: 'open-jobs' }

/** What a page says to a job worker, over the port that came with `open-jobs`. */
export type JobRequest =
  | OpenJobsMessage
  | PingMessage
  | { readonly keepsession: 'start'; readonly id: number; readonly task: JobTask }
  | { readonly keepsession: 'cancel'; readonly id: number }

/**
 * What a job worker answers: `ready` or `failed`, then progress of each job, what it changed, and one `done` or
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
