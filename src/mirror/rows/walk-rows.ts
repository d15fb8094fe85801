/** What a mirror is known to have of the rows of a database. */
export interface KnownRows {
  /** The stamp before, by the stamp of each commit that the mirror has. */
  readonly links: ReadonlyMap<number, number>
  /** Up to this stamp the mirror has everything. */
  readonly whole: number
}

/** How far back the commits of a database are in its mirror. */
export interface RowsWalk {
  /** Stamps of the commits that the mirror has, the last one first. */
  readonly reached: ReadonlySet<number>
  /**
   * Where it ended: everything above that the walk did not reach was lost by the database. If it is below the stamp up
   * to which the mirror has everything, the database lost something further back.
   */
  readonly end: number
  /** Whether the mirror has everything. */
  readonly isWhole: boolean
}

/** Goes back from the last commit of a database, from each to the one before. */
export function walkRows(last: number, { links, whole }: KnownRows): RowsWalk {
  const reached = new Set<number>()
  let at = last
  while (at > whole) {
    const previous = links.get(at)
    if (previous === undefined || previous >= at) return { reached, end: at, isWhole: false }
    reached.add(at)
    if (previous < 0) return { reached, end: at, isWhole: false }
    at = previous
  }
  return { reached, end: at, isWhole: true }
}
