/** Sessions that are counted at once: one more, and all begin another count. */
const countsKept = 256

/**
 * Draws an id for each call of a page. Ids of one session count on, so that those of a burst share rows in it, whatever
 * else the page is writing to; also where it begins another count.
 *
 * @param prefix - what all of them begin with
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
