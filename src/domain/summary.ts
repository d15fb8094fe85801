import type { ColdRow } from '../contract/rows.ts'
import type { HiddenPart } from '../contract/store.ts'
import type { Line } from './line.ts'

/** What stands for the older part of a line: the later of its active compaction and the summary in the metadata (`log-model` §4, rule 9). */
export function summaryOf(cold: Pick<ColdRow, 'fields'>, line: Line): string {
  const [clock, value] = cold.fields['summary'] ?? ['', '']
  const compaction = line.compaction?.cut
  if (compaction !== undefined && compaction.clock > clock) return compaction.summary
  return typeof value === 'string' ? value : ''
}

/** What a reader of a line's context is told of the part it does not get. */
export function hiddenPart(cold: Pick<ColdRow, 'fields'>, line: Line): HiddenPart {
  const compaction = line.compaction?.cut.id
  return { summary: summaryOf(cold, line), ...(compaction === undefined ? {} : { compaction }) }
}
