/**
 * Does something for each of many items, a few at a time. One by one, each would have to wait for the answer to the
 * previous one.
 *
 * @param signal - ends it between two groups
 * @returns the results in the order of the items, without those of items that were not started
 * @throws the error of the first item that failed, after the rest of its group has settled
 */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  size: number,
  act: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length && signal?.aborted !== true; at += size) {
    const settled = await Promise.allSettled(items.slice(at, at + size).map(act))
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason
      results.push(one.value)
    }
  }
  return results
}
