/** How many sessions are counted separately; with one more, all counts restart. */
const countsKept = 256

/**
 * Draws an id for each call of a page. The ids of one session are consecutive, so that a burst of calls shares rows in
 * it, whatever else the page writes. Each count has its own stem, so a restarted one repeats no id.
 *
 * @param prefix - what all ids begin with
 */
export function createCallNumbers(prefix: string): (key: unknown) => string {
  const counts = new Map<unknown, [stem: string, next: number]>()
  let drawn = 0
  return (key) => {
    let count = counts.get(key)
    if (!count) {
      if (counts.size === countsKept) counts.clear()
      counts.set(key, (count = [`${prefix}${drawn++}.`, 0]))
    }
    return count[0] + count[1]++
  }
}
