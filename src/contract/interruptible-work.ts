import type { RepairReport, VerifyReport } from './store/store-upkeep.ts'
import type { TermOptions } from './term.ts'

/** How far work on one session is. */
export interface WorkProgress {
  /**
   * Canonical JSON bytes of the entries looked at, and of all there are; work that goes over them more than once counts
   * them each time.
   */
  readonly bytes: number
  readonly totalBytes: number
  /** Entries looked at. */
  readonly entries: number
}

/** How work that takes long is followed and ended. Neither goes through a port: a page uses the jobs of its client. */
export interface WorkOptions {
  /** Ends it within a few hundred entries: it rejects with Aborted, and what it did by then stays done. */
  readonly signal?: AbortSignal | undefined
  /** Called a few times for each thousand entries. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined
}

/** What a store in this realm takes besides, where another one ignores it. */
export interface InterruptibleWork {
  verify(key?: string, work?: WorkOptions): Promise<VerifyReport>
  repair(key?: string, work?: WorkOptions): Promise<RepairReport>
  reclaim(key: string, options?: TermOptions, work?: WorkOptions): Promise<number>
}
