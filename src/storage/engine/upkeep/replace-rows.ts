import type { StorageBackend } from '../../../contract/backend.ts'
import type { ReferenceChange } from '../../../contract/blob-references.ts'
import type { EditMark, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { SessionWrite } from '../../../contract/write-batch.ts'
import { editKey } from '../../../domain/fold.ts'
import { nextSums } from '../../../domain/keep-sums.ts'
import type { Pace } from '../work-pace.ts'
import { eachEdit } from './rebuild-session.ts'

/** Replaces a session's rows. @returns false when the session was changed in the meantime, and nothing was done */
export async function replaceRows(
  backend: StorageBackend,
  { hot, cold }: SessionRows,
  references: readonly ReferenceChange[],
): Promise<boolean> {
  return store(backend, { hot, cold }, { references })
}

/** Gives rows the last edit that the log has of them. Does nothing when the session was changed in the meantime. */
export async function replaceEdits(
  backend: StorageBackend,
  { hot, cold }: SessionRows,
  edited: readonly { readonly lane: number; readonly row: StoredEntry }[],
  pace: Pace,
): Promise<void> {
  const lanes = new Map(edited.map(({ lane, row }) => [editKey(row.branch, row.order), lane]))
  const marks = new Map<string, { lane: number; order: string; mark: EditMark }>()
  await eachEdit(backend, hot.session, pace, (branch, order, mark) => {
    const lane = lanes.get(editKey(branch, order))
    if (lane !== undefined) marks.set(editKey(branch, order), { lane, order, mark })
  })
  // The sums of these rows are no longer right.
  const { open: _, seen: __, ...rest } = hot
  await store(backend, { hot: { ...rest, sums: nextSums(hot) }, cold }, { edits: [...marks.values()] })
}

async function store(
  backend: StorageBackend,
  { hot, cold }: SessionRows,
  change: Partial<SessionWrite>,
): Promise<boolean> {
  const version = hot.version + 1
  const write: SessionWrite = {
    hot: { ...hot, version, coldVersion: version },
    cold: { ...cold, version },
    append: [],
    insert: [],
    edits: [],
    erase: [],
    operations: [],
    drafts: [],
    aliases: { add: [], drop: [] },
    ...change,
  }
  return (await backend.commit({ sessions: [write], erase: [] }, 'strict')).stored
}
