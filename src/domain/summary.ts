import type { Message } from '../contract/message.ts'
import type { ColdRow, CompactionRow } from '../contract/rows.ts'
import type { HiddenPart } from '../contract/store/session-log.ts'
import { isCleared, type Line } from './line.ts'

/**
 * The text that replaces the older part of a line: the later one of its active compaction and the summary in the
 * metadata. Clearing the line ends both.
 */
export function summaryOf(cold: Pick<ColdRow, 'fields'>, line: Line): string {
  const [clock, value] = cold.fields['summary'] ?? ['', '']
  const compaction = line.compaction?.cut
  if (compaction !== undefined && compaction.clock > clock) return compaction.summary
  return typeof value === 'string' && !isClearedSince(line, clock) ? value : ''
}

/** Whether a line was cleared since this clock, and with it the summary in the metadata that was set then. */
export function isClearedSince({ cuts }: Line, clock: string): boolean {
  return cuts.some(({ cut }) => cut.clears && cut.clock > clock)
}

/** Whether a cut hides what a compaction put in front of the kept part, since it hides the part that this replaced. */
export function isReplacementCut(line: Line, compaction: CompactionRow): boolean {
  const { clock, order } = compaction
  return isCleared(line, compaction) || line.cuts.some(({ cut }) => cut.clock > clock && cut.order >= order)
}

/** Describes the hidden part to a reader of a line's context. */
export function hiddenPart(cold: Pick<ColdRow, 'fields'>, line: Line): HiddenPart {
  const summary = summaryOf(cold, line)
  const compaction = line.compaction?.cut
  if (compaction === undefined) return { summary }
  const { messages } = compaction.data
  const isGiven = isMessageList(messages) && !isReplacementCut(line, compaction)
  return { summary, compaction: compaction.id, ...(isGiven ? { messages } : {}) }
}

/** Another device or a file may have written any value. */
export function isMessageList(value: unknown): value is readonly Message[] {
  return (
    Array.isArray(value) && value.every((message) => typeof (message as Partial<Message> | null)?.role === 'string')
  )
}
