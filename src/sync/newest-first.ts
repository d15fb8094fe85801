import type { IndexEntry } from './index-entry.ts'

/** Sorts a list of sessions in the same order everywhere. */
export function newestFirst(entries: Iterable<IndexEntry>): readonly IndexEntry[] {
  return [...entries].sort((a, b) => b.updatedAt - a.updatedAt || (a.key < b.key ? -1 : 1))
}
