import type { SequenceRanges } from '../contract/entry.ts'
import { entryId } from './address.ts'
import { rangesOf } from './version-vector.ts'

interface Address {
  readonly w: number
  readonly s: number
}

/**
 * Of entries that are left out for good, those that others of their writer come after. Nobody can take these in without
 * a `purge` entry that explains the hole before them.
 */
export function holesOf(leftOut: readonly Address[], taken: Iterable<Address>): SequenceRanges {
  const last = new Map<number, number>()
  const there = new Set<string>()
  for (const { w, s } of taken) {
    last.set(w, Math.max(s, last.get(w) ?? 0))
    there.add(entryId(w, s))
  }
  return rangesOf(leftOut.filter(({ w, s }) => s < (last.get(w) ?? 0) && !there.has(entryId(w, s))))
}
