import type { Steps } from './steps.ts'
import { stepItems } from './steps.ts'

/**
 * Sorts by order, in steps, which a built-in sort can't do. It merges the stretches that ascend already: a log comes
 * writer by writer, so there are few.
 */
export function* sortByOrder<Item extends { readonly order: string }>(items: readonly Item[]): Steps<readonly Item[]> {
  let stretches: (readonly Item[])[] = []
  let count = 0
  for (let from = 0, at = 1; from < items.length; at++) {
    if (at === items.length || items[at]!.order < items[at - 1]!.order) {
      stretches.push(items.slice(from, at))
      from = at
    }
    if (++count % stepItems === 0) yield
  }
  while (stretches.length > 1) {
    const merged: (readonly Item[])[] = []
    for (let i = 0; i < stretches.length; i += 2) {
      const [a, b] = [stretches[i]!, stretches[i + 1] ?? []]
      const both: Item[] = []
      for (let x = 0, y = 0; x < a.length || y < b.length; ) {
        both.push(y === b.length || (x < a.length && a[x]!.order <= b[y]!.order) ? a[x++]! : b[y++]!)
        if (++count % stepItems === 0) yield
      }
      merged.push(both)
    }
    stretches = merged
  }
  return stretches[0] ?? []
}
