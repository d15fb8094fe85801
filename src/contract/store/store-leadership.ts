import type { LeaderTerm, TermClaim } from '../term.ts'

/**
 * Who leads this database.
 *
 * - L22 *One leader writes.* A write that names a `term` is stored only while that is the stored term; otherwise it
 *   rejects with NotLeader and writes nothing. Terms never decrease, and of two claims to replace one term only one is
 *   stored.
 */
export interface Leadership {
  /**
   * Changes who leads this database, or (without a claim) reads it. `lead` of a client is built on it: use that. Any
   * writer may claim; two leaders can't conflict, because the writes of only one are stored (L22).
   */
  claimTerm(claim?: TermClaim): Promise<LeaderTerm>
}
