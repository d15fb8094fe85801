import type { TitleFunction } from '../../client/context/context-types.ts'
import { suggestTitle } from '../../client/context/suggest-title.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { estimateTokens } from '../../domain/tokens.ts'
import { problemOf } from './chat-problem.ts'
import type { ChatEvent } from './chat-types.ts'
import { type ChatRequest, checkChatRequest } from './check-chat-request.ts'
import { createEventStream } from './event-stream.ts'
import { ModelFailure } from './model-failure.ts'
import { readJsonBody } from './read-json-body.ts'
import { type ChatRun, ingestMessage, type RunParts, runChat } from './run-chat.ts'
import { type MessagePlace, type StoredMessage, storeMessage } from './store-message.ts'

/** What answers messages. */
export interface ChatParts extends Omit<RunParts, 'contexts'>, MessagePlace {
  openContexts(): Promise<RunParts['contexts']>
  systemPrompt(agentId: string): string | Promise<string>
  readonly title: TitleFunction | undefined
  readonly mostBodyBytes: number
  readonly mostImageBytes: number
}

/**
 * Answers a chat request: stores the message, then streams what comes of it. What is refused has a status; from then on
 * all is an event.
 *
 * @param waitUntil - told, before anything is awaited, of the work that goes on behind the reply
 */
export async function answerChat(
  parts: ChatParts,
  agentId: string,
  request: Request,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Response> {
  let endWork: () => void = () => undefined
  waitUntil(new Promise<void>((resolve) => (endWork = resolve)))
  const ending = new AbortController()
  const goAway = (): void => ending.abort(request.signal.reason)
  request.signal.addEventListener('abort', goAway)
  if (request.signal.aborted) goAway()
  try {
    const asked = checkChatRequest(await readJsonBody(request, parts.mostBodyBytes), parts.mostImageBytes)
    const runParts = { ...parts, contexts: await parts.openContexts() }
    const stored = await storeMessage(parts, agentId, asked, ending.signal)
    const events = createEventStream(() => ending.abort())
    void answer(runParts, { agentId, asked, stored, signal: ending.signal, send: events.send })
      .catch(parts.onError)
      .finally(() => {
        events.close()
        endWork()
      })
    return new Response(events.body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    })
  } catch (error) {
    endWork()
    throw error
  }
}

interface Chat extends Pick<ChatRun, 'agentId' | 'signal' | 'send'> {
  readonly asked: ChatRequest
  readonly stored: StoredMessage
}

/**
 * Runs the chat, says that it is done, and does what is due behind that: nobody waits for it, and who goes away now
 * does not end it.
 */
async function answer(parts: ChatParts & RunParts, { agentId, asked, stored, signal, send }: Chat): Promise<void> {
  const { store, contexts, onError, systemPrompt, title } = parts
  const { key, isFirst, release } = stored
  try {
    await ingestMessage(parts, { key }, asked.message)
    await runChat(parts, {
      key,
      agentId,
      prompts: [await systemPrompt(agentId), asked.context],
      images: asked.images,
      signal,
      send,
    })
  } catch (error) {
    // That the client is gone is no error of anybody's.
    if (!signal.aborted) onError(error instanceof ModelFailure ? error.reason : error)
    send(errorEvent(error))
  }
  const tokenEstimate = await estimateContext(store, key).catch(onError)
  release()
  send({ type: 'done', sessionId: key, tokenEstimate: tokenEstimate ?? 0 })
  if (isFirst && title !== undefined) await suggestTitle({ store, key }, title).catch(onError)
  await contexts.shrink({ key, reason: 'summarise', contextWindow: parts.contextWindow, maxTokens: parts.maxTokens })
}

/** The messages' estimate, and that of the summary, which in ai-panel is one of them. */
async function estimateContext(store: SessionStore, key: string): Promise<number> {
  const [meta, summary] = await Promise.all([store.getMeta(key), store.getSummary(key)])
  return (meta?.tokenEstimate ?? 0) + estimateTokens({ content: summary })
}

/** What the client gets to hear: all that a model says, of mistakes nothing. */
function errorEvent(error: unknown): ChatEvent {
  const { message, name } = error instanceof ModelFailure ? error : problemOf(error)
  return { type: 'error', error: message, name }
}
