/**
 * Makes a generator of ids that ascend as text in the order in which they were drawn, even when the clock stands still
 * or goes back. An id contains the time and a random part, so that no two generators draw the same.
 *
 * @param now - milliseconds since 1970
 */
export function createAscendingId(now: () => number, randomInteger: () => number): () => string {
  let last = 0
  return () => {
    last = Math.max(last + 1, now())
    return `${last.toString(36).padStart(9, '0')}-${randomInteger().toString(36)}`
  }
}
