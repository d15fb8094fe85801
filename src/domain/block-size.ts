/** The size of a block of sums. */
export const blockSize = {
  /** Rows. Finding a place inside a block takes reading up to this many. */
  rows: 256,
  /** Writers. The sum of the newest rows is in the hot row, which must stay small. */
  writers: 8,
  /** Blocks that are joined into a larger one. */
  joined: 64,
}
