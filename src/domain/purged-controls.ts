import type { SequenceRanges } from '../contract/entry.ts'
import type { ColdRow } from '../contract/rows.ts'
import { entryId, parseEntryId } from './address.ts'
import { mayBeActive } from './line.ts'
import { isCheckpointDeleted, linesOf } from './purge.ts'
import { isCleared } from './summary.ts'
import { inRanges } from './version-vector.ts'

/**
 * Finds the checkpoints and compactions that nothing shows: checkpoints that were deleted, and compactions on no line but
 * such as were cleared since.
 */
export function judgeControls(
  cold: ColdRow,
): (entry: { readonly w: number; readonly s: number; readonly type: string }) => boolean {
  const { lines, isWhole } = linesOf(cold)
  const compactions = new Map(cold.compactions.map((row) => [row.id, row]))
  return ({ w, s, type }) => {
    const id = entryId(w, s)
    if (type !== 'checkpoint' && type !== 'compaction') return false
    if (inRanges(cold.purged, w, s)) return true
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
