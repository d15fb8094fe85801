import type { EntryRef } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { foldEntries, type SessionFold } from '../domain/fold.ts'
import { type ReadLogOptions, readLog } from './read-log.ts'

/** Reads the whole log of a session and folds it. */
export async function readFold(
  store: Pick<SessionStore, 'changes' | 'usage'>,
  key: string,
  options?: ReadLogOptions,
): Promise<SessionFold> {
  return foldEntries(await readLog(store, key, options))
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
