import type { EntryRef } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { foldInSteps, type SessionFold } from '../domain/fold.ts'
import { forkAfter, lineOfRow } from '../domain/fork-after.ts'
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
 * Where the path to an entry or a compaction ends: on the line that is meant by who names the entry. The entry is found
 * by its position or by its host's id; if several have that id, it is the newest.
 */
export function standingIn(
  { cold, head, rows }: SessionFold,
  ref: EntryRef,
): { readonly branch: string; readonly order: string } | undefined {
  const isMid = 'mid' in ref
  const row = rows.findLast((one) =>
    isMid ? one.data['mid'] === ref.mid : one.branch === ref.branch && one.order === ref.order,
  )
  const compaction = cold.compactions.findLast(({ data }) => isMid && data['mid'] === ref.mid)
  if (compaction !== undefined && compaction.clock > (row?.order ?? ''))
    return { branch: compaction.branch, order: compaction.clock }
  const line = row && lineOfRow(cold, head, row)
  return line === undefined ? row : forkAfter(cold, line, row!)
}
