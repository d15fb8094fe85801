/** How much lies in one block of sums. */
export const blockSize = {
  /** Rows. A place inside a block costs as many to be read. */
  rows: 256,
  /** Writers. The sum of the newest rows lies in the hot row, which is small. */
  writers: 8,
  /** Blocks that are joined to a larger one. */
  joined: 64,
}
