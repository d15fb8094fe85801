import type { ManagedSession } from '../../src/aixgo.ts'
import type { EntryView, Message, MessageStream, SessionClient } from '../../src/index.ts'
import { chatByApi } from '../api/chat-api.ts'
import type { Shrinking } from '../context/shrinking.ts'
import type { AutoSave } from '../history/auto-save.ts'
import { runTool } from '../local-tools.ts'
import type { Model, ToolCall } from '../model.ts'
import { messageOf } from '../ui/toasts.ts'
import { messageText } from './message-parts.ts'

/** Steps of one reply: a model that calls tools again and again must end some time. */
const mostSteps = 8

/** A reply that this tab is writing. */
export interface Reply {
  /** The draft it grows in, as soon as that is known. */
  readonly draft: string | undefined
  readonly text: string
  readonly reasoning: string
}

/** Writes replies into sessions; they go on while another session is shown. */
export interface Replies {
  /** The reply being written into a session, if any. */
  running(key: string): Reply | undefined
  /** Why the last reply to a session failed, until the next one starts. */
  failure(key: string): string | undefined
  start(key: string): void
  /** Goes on with a reply that was cut off. It becomes whole in its place. */
  resume(key: string, entry: EntryView): void
  /** Sends a message through the chat API, which stores and answers it. Resolves when it is stored. */
  sendByApi(key: string, message: string): Promise<void>
  /** Ends the reply and keeps what there is. */
  stop(key: string): void
  /** Calls back whenever one of the above has changed. */
  subscribe(listener: (key: string) => void): () => void
}

interface Run {
  readonly ending: AbortController
  draft: string | undefined
  stream: MessageStream | undefined
  reasoning: string
}

/**
 * @param model - asked for at the start of each reply
 * @param onShrinkFailed - told why a conversation could not be made smaller after a reply; the reply stands
 */
export function createReplies(
  client: SessionClient,
  shrinking: Shrinking,
  autoSave: AutoSave,
  model: (key: string) => Model,
  onShrinkFailed: (error: unknown) => void,
): Replies {
  const runs = new Map<string, Run>()
  const failures = new Map<string, string>()
  const listeners = new Set<(key: string) => void>()
  const changed = (key: string) => listeners.forEach((listener) => listener(key))

  async function write(key: string, run: Run, resumed?: EntryView): Promise<void> {
    // A handle of its own, so that the reply goes on when the conversation is left.
    const session = await autoSave.open(key)
    try {
      for (let step = 0; step < mostSteps; step++) {
        const { messages } = await shrinking.context(session)
        const rest = step === 0 ? resumed : undefined
        const calls = await writeStep(
          session,
          rest === undefined ? messages : upTo(messages, rest),
          run,
          model(key),
          () => changed(key),
          rest,
        )
        if (calls.length === 0) return await shrinking.check(session).catch(onShrinkFailed)
        for (const call of calls) {
          const content = await runTool(client, call)
          await session.append({ role: 'tool', tool_call_id: call.id, name: call.function.name, content })
        }
      }
      throw new Error(`The model was still calling tools after ${mostSteps} steps, so it was stopped.`)
    } finally {
      await autoSave.done(session)
    }
  }

  function begin(key: string, work: (run: Run) => Promise<void>): void {
    if (runs.has(key)) return
    const run: Run = { ending: new AbortController(), draft: undefined, stream: undefined, reasoning: '' }
    runs.set(key, run)
    failures.delete(key)
    changed(key)
    void work(run)
      .catch((error: unknown) => {
        if (!run.ending.signal.aborted) failures.set(key, messageOf(error))
      })
      .finally(() => {
        runs.delete(key)
        changed(key)
      })
  }

  return {
    running: (key) => {
      const run = runs.get(key)
      return run && { draft: run.draft, text: run.stream?.text ?? '', reasoning: run.reasoning }
    },
    failure: (key) => failures.get(key),
    start: (key) => begin(key, (run) => write(key, run)),
    resume: (key, entry) => begin(key, (run) => write(key, run, entry)),
    sendByApi: (key, message) =>
      new Promise((resolve, reject) =>
        begin(key, async ({ ending }) => {
          const { agentId = 'main' } = (await client.store.getMeta(key)) ?? {}
          const { answered } = await chatByApi(agentId, key, message, ending.signal).catch((error: unknown) => {
            reject(error)
            // It is for who sent it, who has the text back; the conversation is as it was.
            ending.abort()
            throw error
          })
          resolve()
          await answered
        }),
      ),
    stop: (key) => runs.get(key)?.ending.abort(),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * What a model is to go on with: the conversation up to a reply that was cut off, that last. What came after it is for
 * later replies.
 */
function upTo(messages: readonly Message[], { message }: EntryView): readonly Message[] {
  const text = message === undefined ? '' : messageText(message)
  const at = messages.findLastIndex((one) => one.role === 'assistant' && messageText(one) === text)
  if (at === -1) throw new Error('This reply is too old to continue: the model no longer receives it.')
  return messages.slice(0, at + 1)
}

/** Streams one message of the model into the session. Returns the tools it wants to be called. */
async function writeStep(
  session: ManagedSession,
  history: readonly Message[],
  run: Run,
  model: Model,
  onText: () => void,
  resumed?: EntryView,
): Promise<readonly ToolCall[]> {
  const stream = session.stream(resumed === undefined ? { role: 'assistant' } : { resume: resumed })
  run.stream = stream
  run.reasoning = ''
  run.draft = undefined
  void stream.id.then(
    (id) => {
      if (run.stream === stream) run.draft = id
      onText()
    },
    () => undefined,
  )
  try {
    let calls: readonly ToolCall[] = []
    for await (const piece of model.reply(history, run.ending.signal)) {
      if ('toolCalls' in piece) calls = piece.toolCalls
      else if ('text' in piece) stream.write(piece.text)
      else {
        stream.writeReasoning(piece.reasoning)
        run.reasoning += piece.reasoning
      }
      onText()
    }
    if (calls.length > 0) {
      await stream.end({
        role: 'assistant',
        content: stream.text,
        tool_calls: calls.map((call) => ({ ...call })),
        ...(run.reasoning !== '' && { reasoning_content: run.reasoning }),
      })
    } else if (stream.text === '') throw new Error('The model sent an empty reply.')
    else await stream.end()
    return calls
  } catch (error) {
    await stream.abort({ keep: stream.text !== '', stopped: run.ending.signal.aborted })
    throw error
  } finally {
    run.stream = undefined
    run.draft = undefined
    onText()
  }
}
