/** Sessions whose count is kept; the least recently used goes first. */
const countsKept = 64

/**
 * Draws an id for each call of a page. Ids of one session count on, so that those of a burst share rows in it, whatever else the page is writing to; a
 * session that was long out of use begins another count.
 *
 * @param prefix - what all of them begin with
 */
export function createCallNumbers(prefix: string): (key: unknown) => string {
  const counts = new Map<unknown, { readonly stem: string; next: number }>()
  let drawn = 0
  return (key) => {
    const count = counts.get(key) ?? { stem: `${prefix}${(drawn++).toString(36)}.`, next: 0 }
    counts.delete(key)
    counts.set(key, count)
    if (counts.size > countsKept) counts.delete(counts.keys().next().value)
    return count.stem + String(count.next++)
  }
}
