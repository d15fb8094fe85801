/** Whether this tab leads. */
export interface LeaderState {
  readonly isLeader: boolean
  /** The term it leads for; 0 while it does not. */
  readonly term: number
}

/**
 * Work that one tab does for all.
 *
 * @param term - to be named by every write of this work (`{ term }`): what comes too late is refused then (NotLeader),
 *   whatever this tab slept through
 * @param signal - fires when this tab leads no longer, or the caller's signal does
 */
export type LeaderWork<T> = (term: number, signal: AbortSignal) => T | Promise<T>

export interface LeadOptions {
  /** Ends the work, or waiting for it. */
  readonly signal?: AbortSignal
  /**
   * It goes on until its signal fires, so that a leader that has no such work hands over to a tab that has. Default
   * false: what one tab has done need not be done by the next.
   */
  readonly isLasting?: boolean
}

/** The place of this tab among all that are open on a database. */
export interface Leadership {
  /**
   * Does work while this tab leads; until then it waits, and from the first call on this tab stands for leader. When it
   * loses the office the work's signal fires, and the work begins again, with another term, once this tab leads again
   * and the last attempt has ended.
   *
   * @returns what the work gave, in a term that lasted until then
   * @throws what the work throws while this tab leads, but for NotLeader; Aborted when the signal fires; StorageClosed
   */
  lead<T>(work: LeaderWork<T>, options?: LeadOptions): Promise<T>
  /** Stands for leader, and hears now and after every change whether this tab is. Returns how to stop. */
  follow(listener: (state: LeaderState) => void): () => void
  /**
   * Something happened to the database: looks whether the term it leads for is still stored there, and stands again
   * where it is not.
   */
  recheck(): void
  /** Ends all work, and hands the office over. */
  close(): Promise<void>
}
