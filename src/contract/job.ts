/** How far a job is. */
export interface JobProgress {
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
  /** Lines that could not be taken, with line number and reason; at most 1,000 are listed, `skippedCount` counts them all. */
  readonly skipped: readonly SkippedLine[]
  readonly skippedCount: number
}

/** A line of a file that could not be taken. */
export interface SkippedLine {
  /** From 1. */
  readonly line: number
  readonly reason: string
}

/** Work for the job worker. */
export type JobTask = { readonly kind: 'importJsonl'; readonly blob: Blob }

/** What the page says to a job worker. `open` comes first, and once. */
export type JobRequest =
  | {
      readonly keepsession: 'open'
      readonly protocol: 1
      /** Name of the database. */
      readonly name: string
      /** A Web Lock for the worker to hold as long as it lives, so that the page learns of its death. */
      readonly lock?: string
    }
  | { readonly keepsession: 'start'; readonly id: number; readonly task: JobTask }
  | { readonly keepsession: 'cancel'; readonly id: number }

/** What a job worker answers: `ready` or `failed` to `open`, then progress of each job and one `result` or `error`. */
export type JobReply =
  | { readonly keepsession: 'ready'; readonly protocol: 1 }
  | { readonly keepsession: 'failed'; readonly error: JobError }
  | { readonly keepsession: 'progress'; readonly id: number; readonly progress: JobProgress }
  | { readonly keepsession: 'result'; readonly id: number; readonly report: ImportReport }
  | { readonly keepsession: 'error'; readonly id: number; readonly error: JobError }

/** As much of an error as comes out of a worker. */
export interface JobError {
  readonly name: string
  readonly message: string
  readonly stack?: string
}
