import type { EntryRef } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { foldInSteps, type SessionFold } from '../domain/fold.ts'
import { type Breather, createBreather, inBreaths } from '../pacing/breather.ts'
import { type ReadLogOptions, readLog } from './read-log.ts'

/** Reads the whole log of a session, and folds it in breaths. */
export async function readFold(
  store: Pick<SessionStore, 'changes' | 'usage'>,
  key: string,
  { breathe = createBreather(), ...options }: ReadLogOptions & { readonly breathe?: Breather } = {},
): Promise<SessionFold> {
  return inBreaths(foldInSteps(await readLog(store, key, options)), breathe)
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
  const row = rows.findLast(({ data }) => data['mid'] === ref.mid)
  const compactions = cold.compactions.map(({ branch, clock, data }) => ({ branch, order: clock, data }))
  return [...(row === undefined ? [] : [row]), ...compactions.filter(({ data }) => data['mid'] === ref.mid)]
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .at(-1)
}
