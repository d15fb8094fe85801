import type { Message } from '../contract/message.ts'
import type { ColdRow } from '../contract/rows.ts'
import type { HiddenPart } from '../contract/store/session-log.ts'
import type { Line } from './line.ts'

/**
 * The text that replaces the older part of a line: the later one of its active compaction and the summary in the
 * metadata.
 */
export function summaryOf(cold: Pick<ColdRow, 'fields'>, line: Line): string {
  const [clock, value] = cold.fields['summary'] ?? ['', '']
  const compaction = line.compaction?.cut
  if (compaction !== undefined && compaction.clock > clock) return compaction.summary
  return typeof value === 'string' ? value : ''
}

/** Describes the hidden part to a reader of a line's context. */
export function hiddenPart(cold: Pick<ColdRow, 'fields'>, line: Line): HiddenPart {
  const summary = summaryOf(cold, line)
  if (line.compaction === undefined) return { summary }
  const { id, data, order, clock } = line.compaction.cut
  const { messages } = data
  // A cut of the replaced part cuts the replacement too.
  const isCutOff = line.cuts.some(({ cut }) => cut.clock > clock && cut.order >= order)
  return { summary, compaction: id, ...(isMessageList(messages) && !isCutOff ? { messages } : {}) }
}

/** Another device or a file may have written any value. */
function isMessageList(value: unknown): value is readonly Message[] {
  return (
    Array.isArray(value) && value.every((message) => typeof (message as Partial<Message> | null)?.role === 'string')
  )
}
