import type { Message } from '../../contract/message.ts'
import { callIds, resultIds } from '../tool-calls.ts'
import { isToolResult } from './is-tool-result.ts'
import { matchResults } from './match-results.ts'
import { turnStarts } from './turn-starts.ts'

/** The place where a history is cut in two. */
export interface CutPoint {
  /** The first message that stays; 0 when all do. */
  readonly index: number
  /** The start of the turn that the cut splits; absent when it splits none. */
  readonly turnStart?: number
}

/**
 * Finds a cut that keeps about this many of the newest tokens: it goes back from the end until they are reached, then
 * to the next place that separates no call from its result. Such a place is any message but a result; a call without a
 * result yet keeps everything after it. When no such place follows, because the last result alone has more tokens, the
 * last place before is used.
 *
 * Source: pi-coding-agent, `findCutPoint` (which keeps everything in that last case)
 */
export function findCutPoint(
  messages: readonly Message[],
  keepTokens: number,
  countTokens: (message: Message) => number,
): CutPoint {
  let from = messages.length
  for (let kept = 0; from > 0 && kept < keepTokens; ) kept += countTokens(messages[--from]!)
  if (from === 0) return { index: 0 }
  const isPlace = placesIn(messages)
  let index = from
  while (index < messages.length && !isPlace[index]) index++
  if (index === messages.length) for (index = from; index > 0 && !isPlace[index]; ) index--
  const starts = turnStarts(messages)
  const turnStart = starts.findLast((start) => start < index)
  return index === 0 || turnStart === undefined || starts.includes(index) ? { index } : { index, turnStart }
}

/**
 * Whether the history can be cut in front of each message. Results come right after their call, so that only they must
 * not come first.
 */
function placesIn(messages: readonly Message[]): readonly boolean[] {
  const places = messages.map((message) => !isToolResult(message))
  const matches = matchResults(messages)
  // Open calls of an older turn will not be answered any more.
  for (let i = turnStarts(messages).at(-1) ?? 0; i < messages.length; i++) {
    const answered = new Set([...resultIds(messages[i]!), ...matches[i]!.calls])
    if (callIds(messages[i]!).some((id) => !answered.has(id))) return places.fill(false, i + 1)
  }
  return places
}
