/** What could be deleted to make room. */
export interface Reclaimable {
  /** Deleted sessions: `purge` erases them. */
  readonly deleted: { readonly sessions: number; readonly bytes: number }
  /** Archived sessions: they can be exported and deleted. */
  readonly archived: { readonly sessions: number; readonly bytes: number }
  /**
   * Approximate size of entries that are on no transcript, which is the most that `reclaim` may erase; entries on other
   * branches stay.
   */
  readonly hiddenBytes: number
}
