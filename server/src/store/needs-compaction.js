/** A log below this isn't worth the work. */
const SMALL = 64 * 1024

/**
 * Whether a log has grown so far past the state it was last made into that it should be made into one again. The factor keeps what is
 * rewritten in all within a constant share of what was ever written.
 *
 * @param {number} size - bytes
 * @param {number} compacted - bytes, right after the last time
 */
export function needsCompaction(size, compacted) {
  return size > SMALL && size > 2 * compacted
}
