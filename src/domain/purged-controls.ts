import type { Entry, SequenceRanges } from '../contract/entry.ts'
import type { ColdRow } from '../contract/rows.ts'
import { entryId, parseEntryId } from './address.ts'
import { isCleared, mayBeActive } from './line.ts'
import { isReplaced, unsetSummary } from './meta-fields.ts'
import { isCheckpointDeleted, linesOf } from './purge.ts'
import { isClearedSince } from './summary.ts'
import { inRanges } from './version-vector.ts'

/** Whether control entries of this type count no more as soon as a purge names them. */
export function endsWithPurge(type: string): boolean {
  return type === 'checkpoint' || type === 'compaction'
}

type Judged = Pick<Entry, 'w' | 's' | 'type' | 'order' | 'data'>

/** When the summary in the metadata was set, if every line was cleared since. */
export function clearedSummary(cold: ColdRow): string | undefined {
  const [clock, text] = cold.fields['summary'] ?? ['', '']
  if (typeof text !== 'string' || text === '') return undefined
  const { lines, isWhole } = linesOf(cold)
  return isWhole && lines.every((line) => isClearedSince(line, clock)) ? clock : undefined
}

/**
 * Finds the checkpoints, compactions and metadata that nothing shows: checkpoints that were deleted, compactions on no
 * line but such as were cleared since, and metadata that was replaced.
 *
 * @param summary - {@link clearedSummary}, which counts as replaced
 */
export function judgeControls(cold: ColdRow, summary = clearedSummary(cold)): (entry: Judged) => boolean {
  const { lines, isWhole } = linesOf(cold)
  const known = summary === undefined ? cold : { ...cold, fields: unsetSummary(cold.fields, summary) }
  const compactions = new Map(cold.compactions.map((row) => [row.id, row]))
  return (entry) => {
    const { w, s, type } = entry
    if (type === 'meta') return isReplaced(known, entry)
    if (!endsWithPurge(type)) return false
    if (inRanges(cold.purged, w, s)) return true
    const id = entryId(w, s)
    if (type === 'checkpoint') return isCheckpointDeleted(cold, id)
    const compaction = isWhole ? compactions.get(id) : undefined
    return (
      compaction !== undefined && lines.every((line) => !mayBeActive(line, compaction) || isCleared(line, compaction))
    )
  }
}

/** The checkpoints and compactions that were not purged. */
export function withoutPurged(
  { checkpoints, compactions }: Pick<ColdRow, 'checkpoints' | 'compactions'>,
  purged: SequenceRanges,
): Pick<ColdRow, 'checkpoints' | 'compactions'> {
  const isLeft = ({ w, s }: { readonly w: number; readonly s: number }): boolean => !inRanges(purged, w, s)
  return {
    checkpoints: Object.fromEntries(Object.entries(checkpoints).filter(([id]) => isLeft(parseEntryId(id)!))),
    compactions: compactions.filter(isLeft),
  }
}
