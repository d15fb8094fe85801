import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import { pairToolCalls } from '../../../domain/context/pair-tool-calls.ts'
import { withoutMark } from '../../../domain/context/without-mark.ts'
import { resultIds } from '../../../domain/tool-calls.ts'
import type { AttachOptions, ChatRequest, RecordPaths } from './attach-types.ts'
import type { SessionLog } from './attached-log.ts'
import type { HistoryReader } from './history-reader.ts'
import { partsOfRequest } from './parts-of-request.ts'
import { pickText } from './pick-text.ts'
import { placeResults } from './place-results.ts'
import { readNewestBlock } from './read-newest-block.ts'
import type { SessionRecorder } from './session-recorder.ts'

/**
 * Stores a request's messages before the model is asked.
 *
 * @returns the messages to send to the model: instructions, history, and the request's own
 * @throws InvalidInput when its results match no call, and when calls are still without results: then those of the
 *   request are stored, if its messages are stored as they are
 */
export async function storeRequest(
  request: ChatRequest,
  log: SessionLog,
  { recordHandler, context }: AttachOptions,
  recorder: SessionRecorder,
  readHistory: HistoryReader,
): Promise<readonly Message[]> {
  const { instructions, rest, signal } = partsOfRequest(request)
  const input = recordHandler === undefined ? inputMessages(request, rest, await recorder.pathsOf('input')) : []
  if (!rest.some((message) => resultIds(message).length > 0)) {
    const before = await readHistory(request.messages, signal)
    await recorder.append(input)
    return [...instructions, ...before, ...rest]
  }
  const block = await readNewestBlock(log.store, log.key, context?.branch, signal)
  const { fresh, open } = placeResults(block, rest)
  const isKept = input === rest
  if (open.length === 0 && !isKept) {
    const history = await readHistory(request.messages, signal)
    await recorder.append(input)
    // The history contains the block without the new results. Its messages are replaced by the whole block.
    return [
      ...instructions,
      ...history.slice(0, Math.max(0, history.length - pairToolCalls(block).length)),
      ...block.map(withoutMark),
      ...fresh,
    ]
  }
  if (isKept) await recorder.append(fresh)
  if (open.length === 0) return [...instructions, ...(await readHistory(instructions, signal))]
  throw new SessionError(
    'InvalidInput',
    `The model can't be asked before the tool calls ${open.join(', ')} have results too. ${isKept ? 'The results of this request are stored: send the missing ones.' : 'Send all results in one request.'}`,
  )
}

/** The messages to store of a request: the picked values as a user's message, otherwise its own messages. */
function inputMessages(request: ChatRequest, rest: readonly Message[], input: RecordPaths): readonly Message[] {
  const picked = input.paths === undefined ? undefined : pickText(request, input)
  return picked === undefined ? rest : [{ role: 'user', content: picked }]
}
