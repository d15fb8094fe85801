import type { Entry, EntryRef } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { SessionFold } from '../../domain/fold.ts'
import { foldEntries } from '../../domain/fold.ts'
import { pushAll } from '../../domain/push-all.ts'

/** Reads the whole log of a session and folds it. Reads in pages, by a job. */
export async function readFold(store: SessionStore, key: string): Promise<SessionFold> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, {}, cursor)
    pushAll(entries, page.entries)
    cursor = page.next
    if (cursor === undefined) return foldEntries(entries)
  }
}

/**
 * The position of an entry or a compaction, found by its position or by its host's id; if several have that id, the
 * newest.
 */
export function standingIn(
  { cold, rows }: SessionFold,
  ref: EntryRef,
): { readonly branch: string; readonly order: string } | undefined {
  if (!('mid' in ref)) return rows.find(({ branch, order }) => branch === ref.branch && order === ref.order)
  const compactions = cold.compactions.map(({ branch, clock, data }) => ({ branch, order: clock, data }))
  return [...rows, ...compactions]
    .filter(({ data }) => data['mid'] === ref.mid)
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .at(-1)
}
