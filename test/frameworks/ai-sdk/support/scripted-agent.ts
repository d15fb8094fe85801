import { type ChatTransport, DirectChatTransport, jsonSchema, ToolLoopAgent, tool, type UIMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

type DoStream = MockLanguageModelV4['doStream']
type Prompt = Parameters<DoStream>[0]['prompt']
type Part = Awaited<ReturnType<DoStream>>['stream'] extends ReadableStream<infer One> ? One : never

/** An agent behind a transport without a network, and what controls it. */
export interface ScriptedAgent {
  readonly inner: ChatTransport<UIMessage>
  /** Lets the replies go on that wait. */
  release(): void
  /** What the model was sent, call by call. */
  readonly prompts: readonly Prompt[]
}

/**
 * Creates an agent that answers to the words of the last message, or of a tool's output: `wait` waits before the reply and `slowly` after two words, `think` reasons first,
 * `fail` breaks off, `weather` calls a tool that the page runs, and `erase` one that needs an approval. Everything else is
 * repeated, with the number of the reply.
 */
export function createScriptedAgent(): ScriptedAgent {
  let release = (): void => undefined
  let released = new Promise<void>((resolve) => (release = resolve))
  const prompts: Prompt[] = []
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt, abortSignal }) => {
      prompts.push(prompt)
      const parts = replyTo(prompt, prompts.length, () => released)
      const stopped = aborted(abortSignal)
      // It may be stopped when nobody waits for a part.
      stopped.catch(() => undefined)
      return {
        stream: new ReadableStream<Part>({
          pull: async (controller) => {
            const { done, value } = await Promise.race([parts.next(), stopped])
            if (done) controller.close()
            else controller.enqueue(value)
          },
        }),
      }
    },
  })
  return {
    // The types of its tools are of no use here.
    inner: createTransport(model) as object as ChatTransport<UIMessage>,
    release: () => {
      release()
      released = new Promise((resolve) => (release = resolve))
    },
    prompts,
  }
}

function createTransport(model: MockLanguageModelV4) {
  const inputSchema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
  const agent = new ToolLoopAgent({
    model,
    tools: {
      weather: tool({ inputSchema }),
      erase: tool({
        inputSchema,
        needsApproval: true,
        execute: async ({ city }) => ({ erased: city, at: new Date(0) }),
      }),
    },
  })
  return new DirectChatTransport({ agent })
}

const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

async function* replyTo(
  prompt: Prompt,
  number: number,
  released: () => Promise<void>,
): AsyncGenerator<Part, undefined> {
  yield { type: 'stream-start', warnings: [] }
  const last = prompt.at(-1)
  const ofTool = JSON.stringify(last).includes('slowly') ? 'slowly' : 'tool'
  const asked = last?.role === 'user' ? textOf(last.content) : ofTool
  const called = ['weather', 'erase'].find((name) => asked.includes(name))
  if (called !== undefined) {
    yield { type: 'tool-call', toolCallId: `call-${number}`, toolName: called, input: '{"city":"Oslo"}' }
    return void (yield* finish('tool-calls'))
  }
  if (asked.includes('think')) {
    yield { type: 'reasoning-start', id: 'r' }
    for (const delta of ['Let me ', 'see.']) yield { type: 'reasoning-delta', id: 'r', delta }
    yield { type: 'reasoning-end', id: 'r' }
  }
  if (asked.includes('wait')) await released()
  yield { type: 'text-start', id: 't' }
  for (const [index, delta] of [`${number}: `, 'you ', 'said ', asked].entries()) {
    yield { type: 'text-delta', id: 't', delta }
    if (index !== 1) continue
    if (asked.includes('slowly')) await released()
    if (asked.includes('fail')) throw new Error('The line is cut.')
  }
  yield { type: 'text-end', id: 't' }
  return void (yield* finish('stop'))
}

function* finish(unified: 'stop' | 'tool-calls'): Generator<Part> {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  yield {
    type: 'finish',
    finishReason: { unified, raw: undefined },
    usage: { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } },
  }
}

const textOf = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.map(({ text = '' }) => text).join('')
