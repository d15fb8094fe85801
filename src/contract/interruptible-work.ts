import type { RepairReport, VerifyReport } from './store/store-upkeep.ts'
import type { TermOptions } from './term.ts'

/** How far work on one session is. */
export interface WorkProgress {
  /**
   * Canonical JSON bytes of the entries processed, and of all entries. Work that reads them more than once counts them
   * each time.
   */
  readonly bytes: number
  readonly totalBytes: number
  /** Entries processed. */
  readonly entries: number
}

/** How long work is observed and cancelled. Neither option passes a port: a page uses the jobs of its client. */
export interface WorkOptions {
  /** Cancels the work within a few hundred entries: it rejects with Aborted, and what was done by then stays done. */
  readonly signal?: AbortSignal | undefined
  /** Called a few times for each thousand entries. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined
}

/** Methods with options that only a store in the same realm supports; other stores ignore them. */
export interface InterruptibleWork {
  verify(key?: string, work?: WorkOptions): Promise<VerifyReport>
  repair(key?: string, work?: WorkOptions): Promise<RepairReport>
  reclaim(key: string, options?: TermOptions, work?: WorkOptions): Promise<number>
}
