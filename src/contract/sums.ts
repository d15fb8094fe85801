/**
 * The sum of rows of one lane, independent of their order: what they contribute to any line that has them all. Purged
 * rows are not included.
 */
export interface RowSum {
  readonly rows: number
  /** Rows that no edit has removed. */
  readonly shown: number
  /** Message entries among those, and the sum of their token estimates. */
  readonly messages: number
  readonly tokens: number
  /** User messages, one of which may give the title. */
  readonly questions: number
  /** The latest `at`. */
  readonly at: number
  /** For each writer, the sequence number of its first row, and the one after its last row. */
  readonly writers: Readonly<Record<string, readonly [first: number, next: number]>>
  /**
   * The lowest sequence number of entries that opened turns of these rows, if it is below the writer's first row here:
   * a cut that had seen such an entry hides the whole turn.
   */
  readonly openers?: Readonly<Record<string, number>>
}

/** The sum of a block of a lane: of all rows with `from < order ≤ end`. */
export interface BlockSum extends RowSum {
  readonly from: string
  readonly end: string
  /** The highest order of a row in it. */
  readonly last: string
}

/** The sum of the rows at the end of the head's lane that are in no block yet. */
export interface OpenSum extends RowSum {
  /** Where the last block ends. */
  readonly after: string
  /** Number of blocks at the end of the lane that are not joined into larger ones yet. */
  readonly blocks: number
}
