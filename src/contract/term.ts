/**
 * Who leads, for work that one tab does for all: one row of the database. The `term` of a leader is its fencing token:
 * its writes name the term, and are refused once another term has begun, even if the tab was asleep meanwhile.
 */
export interface LeaderTerm {
  /** Never decreases. 0: nobody has ever led. */
  readonly term: number
  /** A random id that the leading tab draws for this term; `''`: the leader has left. */
  readonly holder: string
  /** Counts heartbeats, for tabs that have no other way to show that they are alive. */
  readonly beat: number
}

/** Replaces `after` by `next`, unless something else is stored by now. */
export interface TermClaim {
  readonly after: LeaderTerm
  readonly next: LeaderTerm
}

/** An option of writes that only a leader makes. */
export interface TermOptions {
  /**
   * The term that the write belongs to. If another one is stored, nothing is written (NotLeader); this is checked in
   * the same transaction.
   */
  readonly term?: number
}
