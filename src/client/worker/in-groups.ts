/**
 * Does something for each of many, a few at a time: one after the other each would wait for the answer to the one
 * before.
 *
 * @param signal - ends it between two groups
 * @returns what each gave, in their order; of what was not begun nothing
 * @throws what the first that failed threw, once those beside it are over
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
