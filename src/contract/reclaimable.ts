/** What would make room. */
export interface Reclaimable {
  /** Sessions behind a tombstone: `purge` them. */
  readonly deleted: { readonly sessions: number; readonly bytes: number }
  /** Sessions that were put away: export and delete them. */
  readonly archived: { readonly sessions: number; readonly bytes: number }
  /** About what is on no transcript now, at most what `reclaim` may erase: other branches keep theirs. */
  readonly hiddenBytes: number
}
