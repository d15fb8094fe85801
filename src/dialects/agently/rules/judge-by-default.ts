import type { Message } from '../../../contract/message.ts'
import type { MemoRules } from './memo-settings.ts'
import { messageSize } from './message-size.ts'
import type { ResizeDecision } from './resize-decision.ts'

/** What the default policy has to know of a current view. */
export interface ViewMeasure {
  readonly count: number
  /** Measured only up to the limit: a view that was never resized may have a million messages. */
  readonly size: number
}

/** Measures one more message of a view. */
export function addToMeasure({ count, size }: ViewMeasure, message: Message, chars: number): ViewMeasure {
  return { count: count + 1, size: size < chars ? size + messageSize(message) : size }
}

export const noMeasure: ViewMeasure = { count: 0, size: 0 }

/**
 * The default policy: a deep resize when the current view is too large, a lite one when it has too many messages or
 * enough turns have passed. The first of these that applies counts.
 *
 * @param turns - the number of turns since the last resize
 * Source: AgentlyMemoSession
 */
export function judgeMeasure(
  { count, size }: ViewMeasure,
  turns: number,
  { chars, messages, everyNTurns }: MemoRules,
): ResizeDecision | null {
  if (chars > 0 && size >= chars) return { type: 'deep', reason: 'max_messages_text_length', severity: 100 }
  if (messages !== null && messages > 0 && count > messages)
    return { type: 'lite', reason: 'max_keep_messages_count', severity: 50 }
  if (everyNTurns > 0 && turns >= everyNTurns) return { type: 'lite', reason: 'every_n_turns', severity: 10 }
  return null
}

/** The same for a list of messages. */
export const judgeByDefault = (current: readonly Message[], turns: number, rules: MemoRules): ResizeDecision | null =>
  judgeMeasure(
    current.reduce((measure, message) => addToMeasure(measure, message, rules.chars), noMeasure),
    turns,
    rules,
  )
