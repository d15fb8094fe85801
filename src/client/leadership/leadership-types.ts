/** Whether this tab leads. */
export interface LeaderState {
  readonly isLeader: boolean
  /** The term it leads for; 0 while it does not. */
  readonly term: number
}

/**
 * Work that one tab does for all.
 *
 * @param term - name it in every write of this work (`{ term }`): a write that comes too late is then refused (NotLeader),
 *   even if this tab slept through the change
 * @param signal - aborts when this tab no longer leads, or the caller's signal aborts
 */
export type LeaderWork<T> = (term: number, signal: AbortSignal) => T | Promise<T>

export interface LeadOptions {
  /** Ends the work, or waiting for it. */
  readonly signal?: AbortSignal
  /**
   * The work runs until its signal aborts, so that a leader without such work hands over to a tab that has some. Default
   * false: work that one tab has finished need not be done by the next.
   */
  readonly isLasting?: boolean
}

/** Whether this tab leads among all that use a database. */
export interface Leadership {
  /**
   * Does work while this tab leads; until then it waits, and from the first call on this tab is a candidate. When the
   * tab stops leading, the work's signal aborts. The work restarts, with another term, once this tab leads again and
   * the last attempt has ended.
   *
   * @returns what the work returned, in a term that lasted until then
   * @throws what the work throws while this tab leads, but for NotLeader; Aborted when the signal fires; StorageClosed
   */
  lead<T>(work: LeaderWork<T>, options?: LeadOptions): Promise<T>
  /** Makes this tab a candidate, and calls back now and after every change. Returns a function that stops it. */
  follow(listener: (state: LeaderState) => void): () => void
  /**
   * To be called when something happened to the database: checks whether the term is still stored there. If not, this
   * tab is a candidate again.
   */
  recheck(): void
  /** Ends all work, and hands the lead over. */
  close(): Promise<void>
}
