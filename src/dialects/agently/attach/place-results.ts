import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import { isToolResult } from '../../../domain/context/is-tool-result.ts'
import { matchResults } from '../../../domain/context/match-results.ts'
import { callIds, resultIds } from '../../../domain/tool-calls.ts'

/** The results of tools in a request, matched with the calls that they answer. */
export interface PlacedResults {
  /** The request's messages without results that are stored already, because a failed request may be repeated. */
  readonly fresh: readonly Message[]
  /** Calls that still have no result, so that the model can't be asked yet. */
  readonly open: readonly string[]
}

/**
 * Finds the calls that a request's results answer.
 *
 * @param block - the end of the history: a message with calls, and the results stored so far
 * @throws InvalidInput when they answer none: the model would get the same request again, without them
 */
export function placeResults(block: readonly Message[], request: readonly Message[]): PlacedResults {
  const brought = request.flatMap((message) => resultIds(message))
  const called = new Set([...block, ...request].flatMap((message) => callIds(message)))
  if (!brought.some((id) => called.has(id))) {
    throw new SessionError(
      'InvalidInput',
      `No tool call in the model's context matches the result of ${brought.join(', ')}. Send results right after the reply with the calls; a streamed reply has its calls only once it was read to its end.`,
    )
  }
  const own = new Set(request.flatMap((message) => callIds(message)))
  const stored = new Set(block.flatMap((message) => resultIds(message)).filter((id) => !own.has(id)))
  const isRepeated = (message: Message): boolean =>
    isToolResult(message) && resultIds(message).every((id) => stored.has(id))
  const fresh = request.filter((message) => !isRepeated(message))
  const line = [...block, ...fresh]
  const matches = matchResults(line)
  const caller = line.findLastIndex((message) => callIds(message).length > 0)
  const answered = new Set([...(matches[caller]?.calls ?? []), ...resultIds(line[caller])])
  const waiting = callIds(line[caller]).filter((id) => !answered.has(id))
  // A request with any other message abandons the open calls.
  return { fresh, open: request.every(isToolResult) ? waiting : [] }
}
