import type { Message } from '../../../contract/message.ts'
import { isToolResult } from '../../../domain/context/is-tool-result.ts'
import { findSafeBoundary } from './find-safe-boundary.ts'
import { summaryInput } from './summary-lines.ts'

/** The minimum number of messages that stay. */
const keptMessages = 4
/** The maximum number of messages that one call of the model summarises. */
const mostInOneCall = 10

/** A plan for summarising a history. */
export interface SummaryPlan {
  /** Messages before this index are summarised, the others stay. */
  readonly cut: number
  /** The messages for each call of the model: one part, or two whose summaries are merged by another call. */
  readonly parts: readonly (readonly Message[])[]
  /** Whether messages were left out because they are too large. */
  readonly isPartial: boolean
}

/**
 * Plans a summary of all but the last turns, which are at least 4 messages. More than 10 messages are summarised in two
 * halves, split before a user message near the middle.
 *
 * @returns `undefined` when there is nothing to summarise. Source: PicoClaw, `summarizeSession`. Unlike there, calls
 * stay with their results in histories without user messages too
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
