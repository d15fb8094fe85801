import type { Message } from '../../../contract/message.ts'
import { isToolResult } from '../../../domain/context/is-tool-result.ts'
import { findSafeBoundary } from './find-safe-boundary.ts'
import { summaryInput } from './summary-lines.ts'

/** Messages that stay whatever happens. */
const keptMessages = 4
/** Messages that one call of the model may summarise. */
const mostInOneCall = 10

/** How a history is to be summarised. */
export interface SummaryPlan {
  /** Messages before this index are summarised, the others stay. */
  readonly cut: number
  /** What each call of the model gets: one part, or two whose summaries a further call merges. */
  readonly parts: readonly (readonly Message[])[]
  /** Whether messages were left out for being too large. */
  readonly isPartial: boolean
}

/**
 * Plans a summary: all but the last turns, which are at least 4 messages; more than 10 messages in two halves, split in
 * front of a user message near the middle.
 *
 * @returns `undefined` when there is nothing to summarise Source: PicoClaw, `summarizeSession`; without user messages,
 *   which it can't cut safely, no call is torn from its results here
 */
export function planSummary(history: readonly Message[], contextWindow: number): SummaryPlan | undefined {
  if (history.length <= keptMessages) return undefined
  let cut = findSafeBoundary(history, history.length - keptMessages)
  while (cut > 0 && isToolResult(history[cut]!)) cut--
  const { messages, isPartial } = summaryInput(history.slice(0, cut), contextWindow)
  if (messages.length === 0) return undefined
  const middle = messages.length > mostInOneCall ? findSafeBoundary(messages, Math.floor(messages.length / 2)) : 0
  return { cut, parts: middle === 0 ? [messages] : [messages.slice(0, middle), messages.slice(middle)], isPartial }
}
