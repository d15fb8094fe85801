import type { CoreBackend } from '../../../contract/backend.ts'
import type { Entry } from '../../../contract/entry.ts'
import type { EditMark, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { writerKey } from '../../../domain/address.ts'
import { isControl } from '../../../domain/control.ts'
import { editKey } from '../../../domain/fold.ts'
import { inRanges } from '../../../domain/version-vector.ts'
import { readRow } from '../reading/session-reader.ts'
import type { Plan } from '../writing/plan.ts'
import type { SoundEntry } from './sound-entries.ts'

/** Stored rows that edits and branch openers of the batch name. */
export type Targets = ReadonlyMap<string, StoredEntry>

export async function readTargets(
  backend: CoreBackend,
  rows: SessionRows,
  sound: readonly SoundEntry[],
): Promise<Targets> {
  const targets = new Map<string, StoredEntry>()
  for (const { entry } of sound) {
    if (entry.type !== 'edit' && entry.type !== 'branch') continue
    if (entry.s < (rows.cold.vv[writerKey(entry.w)] ?? 0) && !inRanges(rows.cold.lost ?? {}, entry.w, entry.s)) continue
    const { branch, order } = placeOf(entry)
    const row = await readRow(backend, rows, branch, order)
    if (row !== undefined) targets.set(editKey(branch, order), row)
  }
  return targets
}

/**
 * Finds the row that an edit or a branch opener names, with earlier edits of the same batch applied. What the plan has
 * by then is looked at once, however many are asked for.
 */
export function targetFinder(
  plan: Pick<Plan, 'rows' | 'marks'>,
  stored: Targets | undefined,
): (entry: Entry) => StoredEntry | undefined {
  const rows = new Map<string, StoredEntry>()
  const marks = new Map<string, EditMark>()
  let [rowsSeen, marksSeen] = [0, 0]
  return (entry) => {
    for (; rowsSeen < plan.rows.length; rowsSeen++) {
      const row = plan.rows[rowsSeen]!
      rows.set(editKey(row.branch, row.order), row)
    }
    for (; marksSeen < plan.marks.length; marksSeen++) {
      const { branch, order, mark } = plan.marks[marksSeen]!
      marks.set(editKey(branch, order), mark)
    }
    const { branch, order } = placeOf(entry)
    const key = editKey(branch, order)
    const planned = rows.get(key)
    const target = planned ?? stored?.get(key)
    const edit = planned !== undefined && isControl(planned.type) ? undefined : marks.get(key)
    return target === undefined || edit === undefined ? target : { ...target, edit }
  }
}

function placeOf(entry: Entry): { readonly branch: string; readonly order: string } {
  return (entry.type === 'edit' ? entry.data : entry.data['fork']) as { branch: string; order: string }
}
