import { readContext } from '../../client/context/read-context.ts'
import { createSessionQueue } from '../../client/session/session-queue.ts'
import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import { pairToolCalls } from '../../domain/context/pair-tool-calls.ts'
import { isObject } from '../../domain/is-object.ts'
import { resultIds } from '../../domain/tool-calls.ts'
import type {
  AttachedChat,
  AttachOptions,
  ChatFunction,
  ChatRequest,
  RecordedMessages,
  RecordPaths,
} from './attach/attach-types.ts'
import { openSessionLog } from './attach/attached-log.ts'
import { createStreamRecorder } from './attach/create-stream-recorder.ts'
import { partsOfRequest } from './attach/parts-of-request.ts'
import { pickText } from './attach/pick-text.ts'
import { piecesOf } from './attach/pieces-of.ts'
import { placeResults } from './attach/place-results.ts'
import { readNewestBlock } from './attach/read-newest-block.ts'
import { recordStream, type StreamRecorder } from './attach/record-stream.ts'
import { replyMessages } from './attach/reply-messages.ts'
import { createMemoSession } from './create-memo-session.ts'
import type { MemoSession, SessionPlace } from './memo-types.ts'

/**
 * Puts a session in front of a chat function: each request is sent with the session's history, and request and reply
 * are stored, even if the reply is streamed, ends early or fails. The request's messages are stored before the model is
 * asked, and the reply once it is complete. Then the session is resized in the background.
 *
 * System messages at the start of a request are sent in front of the history and are not stored. A request with results
 * of tool calls is stored first, so that each result is sent after its call; the model is asked once all calls of a
 * reply have their results. The caller receives the reply even if it can't be stored.
 *
 * @example
 * const chat = attachSession(askMyModel, createMemoSession({ store, key: 'ses-1' }))
 * await chat({ messages: [{ role: 'user', content: 'Hello' }] })
 *
 * @throws InvalidInput when a reply of `maxTokens` leaves no room in the window
 * Source: Agently, `SessionExtension`
 */
export function attachSession<Request extends ChatRequest, Reply>(
  chat: ChatFunction<Request, Reply>,
  target: MemoSession | SessionPlace,
  options: AttachOptions = {},
): AttachedChat<Request, Reply> {
  const {
    context,
    manager,
    contextWindow = 128_000,
    maxTokens = Math.min(4096, Math.floor(contextWindow / 4)),
    recordHandler,
    onError,
  } = options
  checkBudget(contextWindow, maxTokens)
  const memoSession = isMemoSession(target) ? target : undefined
  const log = openSessionLog(target)
  const { store, key } = log
  const replaced = memoSession ?? createMemoSession(target)
  const failures: unknown[] = []
  let pending: Promise<unknown> = Promise.resolve()

  const report = (error: unknown): void => (onError === undefined ? void failures.push(error) : onError(error))

  /** @param additional - the messages that are sent with the history and need room as well */
  const readHistory = async (
    additional: readonly Message[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Message[]> => {
    const cancellation = signal === undefined ? {} : { signal }
    const count = context?.countTokens ?? estimateContextTokens
    const additionalTokens = additional.reduce((tokens, message) => tokens + count(message), 0)
    if (manager !== undefined)
      return (
        await manager.assemble({
          key,
          contextWindow: Math.max(0, contextWindow - additionalTokens),
          maxTokens,
          ...cancellation,
        })
      ).messages
    const room =
      context?.maxTokens === undefined ? {} : { maxTokens: Math.max(0, context.maxTokens - additionalTokens) }
    return (await readContext(store, key, { memo: false, ...context, ...room, ...cancellation })).messages
  }
  const append = async (messages: readonly Message[]): Promise<void> => {
    await log.append(messages)
    for (const message of messages) await manager?.ingest(key, message)
  }
  const shrink = async (): Promise<void> => {
    if (manager !== undefined) await manager.shrink({ key, reason: 'summarise', contextWindow, maxTokens })
    else await memoSession?.resize()
  }
  const shrinkLater = (): void => {
    pending = Promise.all([pending, shrink().catch(report)])
  }
  const pathsOf = async (side: 'input' | 'output'): Promise<RecordPaths> => {
    const record = (await memoSession?.settings())?.['record']
    const stored = isObject(record) && isObject(record[side]) ? (record[side] as RecordPaths) : {}
    return { ...stored, ...options.record?.[side] }
  }
  const recordByHandler = async (
    request: Request,
    reply: { readonly reply?: unknown; readonly pieces?: readonly unknown[] },
    interrupted: boolean,
  ): Promise<void> => append(listOf(await recordHandler!({ request, ...reply, interrupted })))

  const storeReply = async (request: Request, reply: unknown, output: RecordPaths): Promise<void> =>
    recordHandler === undefined ? append(replyMessages(reply, output)) : recordByHandler(request, { reply }, false)

  /** Stores a streamed reply while it grows. */
  const recorderOf = (request: Request, output: RecordPaths): StreamRecorder =>
    createStreamRecorder({
      ...options,
      output,
      stream: recordHandler === undefined ? log.stream() : undefined,
      recordByHandler: (reply, pieces, isInterrupted) => recordByHandler(request, { reply, pieces }, isInterrupted),
      onKept: async (message) => manager?.ingest(key, message),
      onError: report,
      onEnd: shrinkLater,
    })

  /** Stores a request. @returns the messages to send to the model */
  const storeRequest = async (request: Request): Promise<readonly Message[]> => {
    const { instructions, rest, signal } = partsOfRequest(request)
    const input = recordHandler === undefined ? inputMessages(request, rest, await pathsOf('input')) : []
    if (!rest.some((message) => resultIds(message).length > 0)) {
      const before = await readHistory(request.messages, signal)
      await append(input)
      return [...instructions, ...before, ...rest]
    }
    const block = await readNewestBlock(store, key, context?.branch, signal)
    const { fresh, open } = placeResults(block, rest)
    const isKept = input === rest
    if (open.length === 0 && !isKept) {
      const history = await readHistory(request.messages, signal)
      await append(input)
      // The history contains the block without the new results. Its messages are replaced by the whole block.
      return [
        ...instructions,
        ...history.slice(0, Math.max(0, history.length - pairToolCalls(block).length)),
        ...block,
        ...fresh,
      ]
    }
    if (isKept) await append(fresh)
    if (open.length === 0) return [...instructions, ...(await readHistory(instructions, signal))]
    throw new SessionError(
      'InvalidInput',
      `The model can't be asked before the tool calls ${open.join(', ')} have results too. ${isKept ? 'The results of this request are stored: send the missing ones.' : 'Send all results in one request.'}`,
    )
  }

  const ask = async (request: Request): Promise<Awaited<Reply>> => {
    const messages = await storeRequest(request)
    const output = await pathsOf('output')
    let reply: Awaited<Reply>
    try {
      reply = await chat({ ...request, messages })
    } catch (error) {
      // The caller must receive this error, even if recording fails too.
      if (recordHandler !== undefined) await recordByHandler(request, {}, true).catch(report)
      shrinkLater()
      throw error
    }
    const pieces = piecesOf(reply)
    if (pieces !== undefined) return recordStream(reply, pieces, () => recorderOf(request, output)) as Awaited<Reply>
    await storeReply(request, reply, output).catch(report)
    shrinkLater()
    return reply
  }
  const attached = async (request: Request): Promise<Awaited<Reply>> =>
    oneAfterAnother(log, partsOfRequest(request).signal, () => ask(request))

  return Object.assign(attached, {
    key,
    session: memoSession,
    original: chat,
    settled: async () => {
      await pending
      if (failures.length > 0) throw failures.splice(0)[0]
    },
    setChatHistory: async (messages: readonly Message[]) => void (await replaced.setChatHistory(messages)),
    addChatHistory: async (messages: Message | readonly Message[]) => {
      await append(listOf(messages))
      await shrink()
    },
    resetChatHistory: async () => void (await replaced.resetChatHistory()),
  })
}

const oneAfterAnother = createSessionQueue('Waiting for the previous request')

/** @throws InvalidInput when no history would ever fit, so that the model would get none */
function checkBudget(contextWindow: number, maxTokens: number): void {
  if (contextWindow > 0 && maxTokens >= 0 && maxTokens < contextWindow) return
  throw new SessionError(
    'InvalidInput',
    `A reply of maxTokens (${String(maxTokens)}) must leave room for the history in the contextWindow (${String(contextWindow)}).`,
  )
}

const isMemoSession = (target: MemoSession | SessionPlace): target is MemoSession => 'resize' in target

/** The messages to store of a request: the picked values as a user's message, otherwise its own messages. */
function inputMessages(request: ChatRequest, rest: readonly Message[], input: RecordPaths): readonly Message[] {
  const picked = input.paths === undefined ? undefined : pickText(request, input)
  return picked === undefined ? rest : [{ role: 'user', content: picked }]
}

function listOf(messages: RecordedMessages): readonly Message[] {
  if (messages === undefined || messages === null) return []
  return isList(messages) ? messages : [messages]
}

const isList = (messages: Message | readonly Message[]): messages is readonly Message[] => Array.isArray(messages)
