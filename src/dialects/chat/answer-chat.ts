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

/** The parts that are needed to answer messages. */
export interface ChatParts extends Omit<RunParts, 'contexts'>, MessagePlace {
  openContexts(): Promise<RunParts['contexts']>
  systemPrompt(agentId: string): string | Promise<string>
  readonly title: TitleFunction | undefined
  readonly mostBodyBytes: number
  readonly mostImageBytes: number
}

/**
 * Answers a chat request: stores the message, then streams the reply. A request is refused with a status; errors after
 * that are sent as events.
 *
 * @param waitUntil - called synchronously with a promise for the work, part of which continues after the reply
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
 * Runs the chat, sends the `done` event, and then makes the title and shrinks the context. The client does not wait for
 * these, and leaving does not stop them.
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
    // A client that left is not an error.
    if (!signal.aborted) onError(error instanceof ModelFailure ? error.reason : error)
    send(errorEvent(error))
  }
  const tokenEstimate = await estimateContext(store, key).catch(onError)
  release()
  send({ type: 'done', sessionId: key, tokenEstimate: tokenEstimate ?? 0 })
  if (isFirst && title !== undefined) await suggestTitle({ store, key }, title).catch(onError)
  await contexts.shrink({ key, reason: 'summarise', contextWindow: parts.contextWindow, maxTokens: parts.maxTokens })
}

/** The estimate for the messages and the summary, which in ai-panel is one of the messages. */
async function estimateContext(store: SessionStore, key: string): Promise<number> {
  const [meta, summary] = await Promise.all([store.getMeta(key), store.getSummary(key)])
  return (meta?.tokenEstimate ?? 0) + estimateTokens({ content: summary })
}

/** The event for an error. The client gets the message of a model's error, but no details of internal errors. */
function errorEvent(error: unknown): ChatEvent {
  const { message, name } = error instanceof ModelFailure ? error : problemOf(error)
  return { type: 'error', error: message, name }
}
