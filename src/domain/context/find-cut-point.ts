import type { Message } from '../../contract/message.ts'
import { callIds, resultIds } from '../tool-calls.ts'
import { isToolResult } from './is-tool-result.ts'
import { turnStarts } from './turn-starts.ts'

/** Where a history is cut in two. */
export interface CutPoint {
  /** The first message that stays; 0 when all do. */
  readonly index: number
  /** Where the turn starts that the cut splits; absent when it splits none. */
  readonly turnStart?: number
}

/**
 * Where to cut so that about so many of the newest tokens stay: from the end back until they are reached, then at the next place that tears
 * no call from its result. Such a place is any message but a result; a call that has no result yet keeps all that follows with it. Where
 * no place follows, because the last result alone is more than that, the last place before is taken.
 *
 * Source: pi-coding-agent, `findCutPoint` (which keeps everything in that last case)
 */
export function findCutPoint(messages: readonly Message[], keepTokens: number, countTokens: (message: Message) => number): CutPoint {
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

/** Whether the history can be cut in front of each message. */
function placesIn(messages: readonly Message[]): readonly boolean[] {
  const places = messages.map((message) => !isToolResult(message))
  /** Where each call stands that has no result so far. */
  const open = new Map<string, number>()
  const join = (call: number, last: number): void => {
    places.fill(false, call + 1, last + 1)
  }
  const lastTurn = turnStarts(messages).at(-1) ?? 0
  messages.forEach((message, i) => {
    for (const id of resultIds(message)) {
      const call = open.get(id)
      if (call !== undefined) join(call, i)
      open.delete(id)
    }
    const answered = new Set(resultIds(message))
    for (const id of callIds(message)) if (!answered.has(id)) open.set(id, i)
  })
  // What an older turn left open will not be answered any more.
  for (const call of open.values()) if (call >= lastTurn) join(call, messages.length - 1)
  return places
}
