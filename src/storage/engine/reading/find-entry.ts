import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef, EntryView } from '../../../contract/entry.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { lineOf } from '../../../domain/line.ts'
import { checkRef, findShown, isShown } from '../writing/find-target.ts'
import { viewOf } from './entry-view.ts'
import { readRow } from './session-reader.ts'

/** One entry as it is now, unless it was removed. */
export async function findEntry(
  backend: CoreBackend,
  rows: SessionRows | undefined,
  target: EntryRef,
): Promise<EntryView | undefined> {
  const ref = checkRef(target)
  if (rows === undefined) return undefined
  const line = lineOf(rows.cold, rows.hot.head)!
  if ('mid' in ref) {
    const shown = await findShown(backend, rows, ref.mid, line, true)
    return shown && structuredClone(viewOf(shown))
  }
  const row = await readRow(backend, rows, ref.branch, ref.order)
  return row !== undefined && isShown(rows.cold, row, line) ? structuredClone(viewOf(row)) : undefined
}
