import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import { isToolResult } from '../../../domain/context/is-tool-result.ts'
import { matchResults } from '../../../domain/context/match-results.ts'
import { callIds, resultIds } from '../../../domain/tool-calls.ts'

/** Results of tools that a request brings, and what they answer. */
export interface PlacedResults {
  /** The request's messages without results that are there already: a request that failed may be made again. */
  readonly fresh: readonly Message[]
  /** Calls that still have no result, so that a model can't be asked with those that have one. */
  readonly open: readonly string[]
}

/**
 * Finds the calls that a request's results answer.
 *
 * @param block - the end of the history: a message that calls, and the results that are there
 * @throws InvalidInput when they answer none: a model would be asked the same again, without them
 */
export function placeResults(block: readonly Message[], request: readonly Message[]): PlacedResults {
  const brought = request.flatMap((message) => resultIds(message))
  const called = new Set([...block, ...request].flatMap((message) => callIds(message)))
  if (!brought.some((id) => called.has(id))) {
    throw new SessionError(
      'InvalidInput',
      `No tool call that a model could see waits for the result of ${brought.join(', ')}. Results come right after the reply that calls, and a streamed reply has its calls once it was read to its end.`,
    )
  }
  const own = new Set(request.flatMap((message) => callIds(message)))
  const there = new Set(block.flatMap((message) => resultIds(message)).filter((id) => !own.has(id)))
  const isRepeated = (message: Message): boolean =>
    isToolResult(message) && resultIds(message).every((id) => there.has(id))
  const fresh = request.filter((message) => !isRepeated(message))
  const line = [...block, ...fresh]
  const matches = matchResults(line)
  const caller = line.findLastIndex((message) => callIds(message).length > 0)
  const answered = new Set([...(matches[caller]?.calls ?? []), ...resultIds(line[caller])])
  const waiting = callIds(line[caller]).filter((id) => !answered.has(id))
  // Whoever says something else gives the calls up.
  return { fresh, open: request.every(isToolResult) ? waiting : [] }
}
