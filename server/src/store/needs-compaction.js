/** A smaller log is not worth the work. */
const SMALL = 64 * 1024

/**
 * Whether a log has grown so far beyond its last state that it should be compacted again. The factor keeps everything
 * that is rewritten within a constant share of what was ever written.
 *
 * @param {number} size - bytes
 * @param {number} compacted - bytes, right after the last time
 */
export function needsCompaction(size, compacted) {
  return size > SMALL && size > 2 * compacted
}
