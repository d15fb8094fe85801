/**
 * What rows of one lane add up to, in whatever order: what stands of them on any line that has them all. Purged rows
 * are not in it.
 */
export interface RowSum {
  readonly rows: number
  /** Rows that no edit removes. */
  readonly shown: number
  /** Message entries among those, and the sum of their token estimates. */
  readonly messages: number
  readonly tokens: number
  /** Messages of users: one of them may give the title. */
  readonly questions: number
  /** The latest `at`. */
  readonly at: number
  /** For each writer the first sequence number of a row, and the one after the last. */
  readonly writers: Readonly<Record<string, readonly [first: number, next: number]>>
  /**
   * The first sequence number of what opened turns of rows, where that is before the writer's first row here: a cut
   * that had seen it hides the whole turn.
   */
  readonly openers?: Readonly<Record<string, number>>
}

/** The sum of a stretch of a lane: of all rows with `from < order ≤ end`. */
export interface BlockSum extends RowSum {
  readonly from: string
  readonly end: string
  /** The greatest order of a row in it. */
  readonly last: string
}

/** The sum of the rows at the end of the head's lane, which lie in no block yet. */
export interface OpenSum extends RowSum {
  /** Where the last block ends. */
  readonly after: string
  /** Blocks at the end of the lane that are not joined to larger ones yet. */
  readonly blocks: number
}
