import { SessionError } from '../contract/errors.ts'
import type { Message } from '../contract/message.ts'
import { readContext } from '../client/context/read-context.ts'
import type { MessageStream } from '../client/types.ts'
import { isObject } from '../domain/is-object.ts'
import { estimateTokens } from '../domain/tokens.ts'
import { resultIds } from '../domain/tool-calls.ts'
import { createPieceReader } from './glue/create-piece-reader.ts'
import { pickText } from './glue/pick-text.ts'
import { piecesOf } from './glue/pieces-of.ts'
import { recordStream, type StreamRecorder } from './glue/record-stream.ts'
import { replyMessages } from './glue/reply-messages.ts'
import { openSessionLog } from './glue/session-log.ts'
import type { AttachedChat, AttachOptions, ChatFunction, ChatRequest, RecordedMessages, RecordPaths } from './glue/types.ts'
import { createMemoSession } from './create-memo-session.ts'
import type { MemoSession, SessionPlace } from './memo/types.ts'

/**
 * Puts a session in front of a chat function: its history goes out with each request, and what was said is written back, also when the reply
 * is streamed, ends early or fails. The request's messages are stored before the model is asked, the reply once it is whole; then the
 * session is resized, without anybody waiting for it.
 *
 * System messages that a request begins with stay in front of the history and are not kept. A request that brings results of tool calls is
 * stored first, so that each result goes out behind its call.
 *
 * @example
 * const chat = attachSession(askMyModel, createMemoSession({ store, key: 'ses-1' }))
 * await chat({ messages: [{ role: 'user', content: 'Hello' }] })
 *
 * Source: Agently, `SessionExtension`
 */
export function attachSession<Request extends ChatRequest, Reply>(chat: ChatFunction<Request, Reply>, target: MemoSession | SessionPlace, options: AttachOptions = {}): AttachedChat<Request, Reply> {
  const { context, manager, contextWindow = 128_000, maxTokens = 4096, recordHandler, onError } = options
  const memoSession = isMemoSession(target) ? target : undefined
  const log = openSessionLog(target)
  const { store, key } = log
  const replaced = memoSession ?? createMemoSession(target)
  const failures: unknown[] = []
  let pending: Promise<unknown> = Promise.resolve()

  /** @param beside - what goes out with the history and needs room as well */
  const readHistory = async (beside: readonly Message[], signal: AbortSignal | undefined): Promise<readonly Message[]> => {
    const told = signal === undefined ? {} : { signal }
    const count = context?.countTokens ?? estimateTokens
    const taken = beside.reduce((tokens, message) => tokens + count(message), 0)
    if (manager !== undefined) return (await manager.assemble({ key, contextWindow: Math.max(0, contextWindow - taken), maxTokens, ...told })).messages
    const room = context?.maxTokens === undefined ? {} : { maxTokens: Math.max(0, context.maxTokens - taken) }
    return (await readContext(store, key, { memo: false, ...context, ...room, ...told })).messages
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
    pending = Promise.all([pending, shrink().catch((error: unknown) => (onError === undefined ? void failures.push(error) : onError(error)))])
  }
  const pathsOf = async (side: 'input' | 'output'): Promise<RecordPaths> => {
    const record = (await memoSession?.settings())?.['record']
    const stored = isObject(record) && isObject(record[side]) ? (record[side] as RecordPaths) : {}
    return { ...stored, ...options.record?.[side] }
  }
  const recordByHandler = async (request: Request, reply: { readonly reply?: unknown }, interrupted: boolean): Promise<void> => append(listOf(await recordHandler!({ request, ...reply, interrupted })))

  /** Keeps a streamed reply while it grows. */
  const recorderOf = (request: Request, output: RecordPaths): StreamRecorder => {
    const textOf = options.textOf ?? createPieceReader()
    let text = ''
    const stream: MessageStream | undefined = recordHandler === undefined ? log.stream() : undefined
    return {
      add: (piece) => {
        const more = textOf(piece)
        text += more
        if (more !== '') stream?.write(more)
      },
      end: async (isWhole) => {
        try {
          if (stream === undefined) return await recordByHandler(request, { reply: text }, !isWhole)
          const [message] = replyMessages(text, isWhole ? output : {})
          if (message === undefined) return void (await stream.abort({ keep: false }))
          if (isWhole) await stream.end(message)
          else await stream.abort()
          await manager?.ingest(key, isWhole ? message : { ...message, interrupted: true })
        } finally {
          shrinkLater()
        }
      },
    }
  }

  const attached = async (request: Request): Promise<Awaited<Reply>> => {
    const { instructions, rest, signal } = partsOf(request)
    const input = recordHandler === undefined ? inputMessages(request, rest, await pathsOf('input')) : []
    const output = await pathsOf('output')
    const isContinued = input === rest && rest.some((message) => resultIds(message).length > 0)
    const before = isContinued ? undefined : [...(await readHistory(request.messages, signal)), ...rest]
    await append(input)
    const messages = [...instructions, ...(before ?? (await readHistory(instructions, signal)))]
    let reply: Awaited<Reply>
    try {
      reply = await chat({ ...request, messages })
    } catch (error) {
      // Who asked must hear of this error, whatever becomes of the record.
      if (recordHandler !== undefined) await recordByHandler(request, {}, true).catch((other: unknown) => failures.push(other))
      shrinkLater()
      throw error
    }
    const pieces = piecesOf(reply)
    if (pieces !== undefined) return recordStream(reply, pieces, () => recorderOf(request, output)) as Awaited<Reply>
    try {
      if (recordHandler !== undefined) await recordByHandler(request, { reply }, false)
      else await append(replyMessages(reply, output))
    } finally {
      shrinkLater()
    }
    return reply
  }

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

const isMemoSession = (target: MemoSession | SessionPlace): target is MemoSession => 'resize' in target

/** @throws InvalidInput */
function partsOf(request: ChatRequest): { readonly instructions: readonly Message[]; readonly rest: readonly Message[]; readonly signal: AbortSignal | undefined } {
  const { messages, signal } = ((request as unknown) ?? {}) as { readonly messages?: unknown; readonly signal?: unknown }
  if (!Array.isArray(messages)) throw new SessionError('InvalidInput', 'A chat with a session is asked with { messages: [...] }: those that are new.')
  const list = messages as readonly Message[]
  const first = list.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const count = first < 0 ? list.length : first
  return { instructions: list.slice(0, count), rest: list.slice(count), signal: signal instanceof AbortSignal ? signal : undefined }
}

/** What is kept of a request: the values asked for, as the user's, else its messages. */
function inputMessages(request: ChatRequest, rest: readonly Message[], input: RecordPaths): readonly Message[] {
  const picked = input.paths === undefined ? undefined : pickText(request, input)
  return picked === undefined ? rest : [{ role: 'user', content: picked }]
}

function listOf(messages: RecordedMessages): readonly Message[] {
  if (messages === undefined || messages === null) return []
  return isList(messages) ? messages : [messages]
}

const isList = (messages: Message | readonly Message[]): messages is readonly Message[] => Array.isArray(messages)
