import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import { canonicalJson } from './canonical-json.ts'

/** The smallest change of the log that makes one history out of another. */
export interface HistoryPlan {
  /**
   * The old messages `from ≤ index < to` are dropped: by one cut when `from` is 0 (the start of the history), otherwise
   * by removing each.
   */
  readonly from: number
  readonly to: number
  /** The new messages from this index on are appended; the new length when none is. */
  readonly appendFrom: number
}

/**
 * Compares by canonical JSON, so that callers that save everything append only what is new, and two devices that do so
 * don't double messages. If the new list starts with the old one, its rest is appended. If the new list is the end of
 * the old one, the part before is cut. Otherwise the common start is kept, and the longest end of the old rest that the
 * new rest starts with; the messages in between are removed, and the remainder is appended. If nothing is common,
 * everything is cut, and the new list is appended.
 *
 * The cut is written last, with the vector from before the appends. So a device that has received only a part of the
 * batch shows too much rather than nothing.
 */
export function planHistory(oldMessages: readonly Message[], newMessages: readonly Message[]): HistoryPlan {
  const before = oldMessages.map(text)
  const after = newMessages.map(text)
  if (after.length < before.length && overlapOf(before, after) === after.length) {
    return { from: 0, to: before.length - after.length, appendFrom: after.length }
  }
  let from = 0
  while (from < before.length && from < after.length && before[from] === after[from]) from++
  const kept = overlapOf(before.slice(from), after.slice(from))
  return { from, to: before.length - kept, appendFrom: from + kept }
}

function text(message: Message): string {
  return canonicalJson(message as unknown as JsonObject)
}

/**
 * The length of the longest end of `before` that is a start of `after` (Knuth, Morris, Pratt: linear, however often
 * texts repeat).
 */
function overlapOf(before: readonly string[], after: readonly string[]): number {
  const fallback: number[] = [0]
  const extend = (matched: number, next: string | undefined): number => {
    let length = matched
    while (length > 0 && (length === after.length || after[length] !== next)) length = fallback[length - 1]!
    return length < after.length && after[length] === next ? length + 1 : length
  }
  for (let i = 1; i < after.length; i++) fallback.push(extend(fallback[i - 1]!, after[i]))
  return before.reduce((matched, next) => extend(matched, next), 0)
}
