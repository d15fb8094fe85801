/**
 * Who leads, for work that one tab does for all: one row of the database. A leader's `term` is its fencing token: what
 * it writes names its term, and is refused once another one has begun, also when it comes from a tab that slept through
 * that.
 */
export interface LeaderTerm {
  /** Never goes down. 0: nobody has ever led. */
  readonly term: number
  /** Drawn by the tab that leads for this term alone; `''`: it has left. */
  readonly holder: string
  /** Counts signs of life, where tabs have no other way to give one. */
  readonly beat: number
}

/** Puts `next` in the place of `after`, unless something else is stored by now. */
export interface TermClaim {
  readonly after: LeaderTerm
  readonly next: LeaderTerm
}

/** What a write takes that is one of a leader's. */
export interface TermOptions {
  /**
   * The term it belongs to. When another one is stored, nothing is written (NotLeader); both are looked at in one
   * transaction.
   */
  readonly term?: number
}
