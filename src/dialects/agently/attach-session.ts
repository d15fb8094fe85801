import { createSessionQueue } from '../../client/session/session-queue.ts'
import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { AttachedChat, AttachOptions, ChatFunction, ChatRequest } from './attach/attach-types.ts'
import { openSessionLog } from './attach/attached-log.ts'
import { createHistoryReader } from './attach/history-reader.ts'
import { partsOfRequest } from './attach/parts-of-request.ts'
import { piecesOf } from './attach/pieces-of.ts'
import { recordStream } from './attach/record-stream.ts'
import { createSessionRecorder, listOf } from './attach/session-recorder.ts'
import { storeRequest } from './attach/store-request.ts'
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
    manager,
    contextWindow = 128_000,
    maxTokens = Math.min(4096, Math.floor(contextWindow / 4)),
    onError,
  } = options
  checkBudget(contextWindow, maxTokens)
  const memoSession = isMemoSession(target) ? target : undefined
  const log = openSessionLog(target)
  const { key } = log
  const replaced = memoSession ?? createMemoSession(target)
  const failures: unknown[] = []
  let pending: Promise<unknown> = Promise.resolve()

  const report = (error: unknown): void => (onError === undefined ? void failures.push(error) : onError(error))
  const recorder = createSessionRecorder(log, memoSession, options, report)
  const readHistory = createHistoryReader(log, { ...options, contextWindow, maxTokens })

  const shrink = async (): Promise<void> => {
    if (manager !== undefined) await manager.shrink({ key, reason: 'summarise', contextWindow, maxTokens })
    else await memoSession?.resize()
  }
  const shrinkLater = (): void => {
    pending = Promise.all([pending, shrink().catch(report)])
  }
  const ask = async (request: Request): Promise<Awaited<Reply>> => {
    const messages = await storeRequest(request, log, options, recorder, readHistory)
    const output = await recorder.pathsOf('output')
    let reply: Awaited<Reply>
    try {
      reply = await chat({ ...request, messages })
    } catch (error) {
      // The caller must receive this error, even if recording fails too.
      await recorder.storeFailure(request).catch(report)
      shrinkLater()
      throw error
    }
    const pieces = piecesOf(reply)
    if (pieces !== undefined)
      return recordStream(reply, pieces, () => recorder.streamOf(request, output, shrinkLater)) as Awaited<Reply>
    await recorder.storeReply(request, reply, output).catch(report)
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
      await recorder.append(listOf(messages))
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
