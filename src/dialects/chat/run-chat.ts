import type { ModelContext, TokenCounter } from '../../client/context/context-types.ts'
import { createMessageStream } from '../../client/session/message-stream.ts'
import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ContextManager, ShrinkReason } from '../picoclaw/context-manager.ts'
import { Problem } from './chat-problem.ts'
import type { ChatEvent, ChatModel, ChatTool } from './chat-types.ts'
import { isContextTooLong } from './is-context-too-long.ts'
import { readReply } from './read-reply.ts'
import { runTool } from './run-tool.ts'

/** The parts that runs need. */
export interface RunParts {
  readonly store: SessionStore
  readonly model: ChatModel
  readonly tools: readonly ChatTool[]
  readonly contexts: ContextManager
  readonly countTokens: TokenCounter
  readonly contextWindow: number
  readonly maxTokens: number
  readonly mostSteps: number
  readonly onError: (error: unknown) => void
}

/** One stored message that is to be answered. */
export interface ChatRun {
  readonly key: string
  readonly agentId: string
  /** The texts of the system prompt before and after the text of the context manager. */
  readonly prompts: readonly [before: string, after: string]
  readonly images: readonly string[]
  readonly signal: AbortSignal
  send(event: ChatEvent): void
}

/**
 * Answers a message: asks the model, runs the tools that it calls, and asks again until it calls none. Each reply and
 * each result is stored before it is used.
 *
 * @throws the error that ended it early; the reply up to then is stored, marked `interrupted`
 * Source: ai-panel, its runner
 */
export async function runChat(parts: RunParts, run: ChatRun): Promise<void> {
  const { tools, mostSteps } = parts
  const { key, agentId, signal, send } = run
  let mayShrink = true
  for (let step = 0; step < mostSteps; step++) {
    let isSilent = true
    const sendEvent = (event: ChatEvent): void => {
      isSilent = false
      send(event)
    }
    const calls = await askModel(parts, { ...run, send: sendEvent }).catch(async (error: unknown) => {
      // If a part of the reply was already sent, another try would repeat it, and store it twice.
      if (!mayShrink || !isSilent || !isContextTooLong(error) || !(await shrink(parts, run, 'model-refused')))
        throw error
      mayShrink = false
      return askModel(parts, run)
    })
    if (calls.length === 0) return
    for (const call of calls) {
      const result = await runTool(tools, call, { signal, agentId, sessionId: key })
      await parts.store.append(key, [{ type: 'message', message: result }], { onDeleted: 'refuse' })
      send({ type: 'tool_result', text: result.content, tool_call_id: call.id })
      await ingestMessage(parts, run, result)
    }
  }
  throw new Problem(
    508,
    'StepLimit',
    `The model was asked ${mostSteps} times and still calls tools. Its results are stored: send another message to continue.`,
  )
}

/** @returns the tool calls of the reply */
async function askModel(parts: RunParts, run: ChatRun) {
  const { store, model, tools } = parts
  const { key, agentId, prompts, images, signal, send } = run
  const context = await fitContext(parts, run)
  // The text that is sent as `system` is removed from the messages.
  const messages = context.messages.filter(
    ({ role, content }, i) => i > 0 || role !== 'system' || content !== context.system,
  )
  const { contextWindow, maxTokens } = limits(parts, run)
  if (messages.length === 0 || (!context.fits && context.tokens.total > contextWindow - maxTokens))
    throw new SessionError('TooLarge', "The message does not fit into the model's context window. Shorten it.")
  if (signal.aborted) throw new SessionError('Aborted', 'The client disconnected before the model was asked.')
  const system = [prompts[0], context.system, prompts[1]].filter((text) => text !== '').join('\n\n')
  const journal = createMessageStream(store, key, { onDeleted: 'refuse' }, () => Promise.resolve())
  try {
    const { message, calls } = await readReply(
      model,
      {
        messages,
        system,
        tools: definitionsOf(tools),
        ...(images.length === 0 ? {} : { images }),
        agentId,
        sessionId: key,
        signal,
      },
      journal,
      send,
    )
    if (message === undefined) await journal.abort({ keep: false })
    else {
      await journal.end(message)
      await ingestMessage(parts, run, message)
    }
    return calls
  } catch (error) {
    // A second error, because the reply can't be stored either, would add nothing to the first.
    await journal.abort({ stopped: false }).catch(() => undefined)
    throw error
  }
}

/** Reads the context of the session. If it does not fit, it is reduced first. */
async function fitContext(parts: RunParts, run: ChatRun): Promise<ModelContext> {
  const assemble = (): Promise<ModelContext> =>
    parts.contexts.assemble({ key: run.key, ...limits(parts, run), signal: run.signal })
  const context = await assemble()
  if (context.leftOut === 0 && context.fits) return context
  return (await shrink(parts, run, 'proactive-budget')) ? assemble() : context
}

/** @returns whether anything was changed; an error doesn't end the run, which can continue with less context */
async function shrink({ contexts, onError, ...parts }: RunParts, run: ChatRun, reason: ShrinkReason): Promise<boolean> {
  try {
    return await contexts.shrink({ key: run.key, reason, ...limits(parts, run), signal: run.signal })
  } catch (error) {
    onError(error)
    return false
  }
}

/** The limits for the context manager, without the room that other texts of the system prompt take. */
function limits(
  {
    contextWindow,
    maxTokens,
    tools,
    countTokens,
  }: Pick<RunParts, 'contextWindow' | 'maxTokens' | 'tools' | 'countTokens'>,
  { prompts }: ChatRun,
) {
  const taken = countTokens({ role: 'system', content: prompts.join('') })
  return { contextWindow: Math.max(0, contextWindow - taken), maxTokens, tools: definitionsOf(tools) }
}

/** Passes a stored message to the context manager. Its errors are only reported. */
export async function ingestMessage(
  { contexts, onError }: Pick<RunParts, 'contexts' | 'onError'>,
  { key }: Pick<ChatRun, 'key'>,
  message: Message,
): Promise<void> {
  try {
    await contexts.ingest(key, message)
  } catch (error) {
    onError(error)
  }
}

function definitionsOf(tools: readonly ChatTool[]) {
  return tools.map(({ name, description, parameters }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
  }))
}
