import type { Message } from '../../src/contract/message.ts'

/** One call of the tool `find`, with the id `a` and the input `{ q: 'x' }`, and its result `found`. */
interface ToolForm {
  readonly name: string
  /** The call, then its result; one message where both are in one. */
  readonly messages: readonly Message[]
}

const input = { q: 'x' }
const text = [{ type: 'text', text: 'found' }]
const ask = (...content: readonly unknown[]): Message => ({ role: 'assistant', content }) as unknown as Message
const openAiCall: Message = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }],
}
const uiPart = (part: object): Message => ({
  role: 'assistant',
  parts: [{ type: 'step-start' }, { toolCallId: 'a', state: 'output-available', input, output: 'found', ...part }],
})
const modelCall = ask({ type: 'tool-call', toolCallId: 'a', toolName: 'find', input })
const modelResult = (output: object): Message =>
  ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'find', output }],
  }) as unknown as Message

/**
 * Every form of a call and of its result that is stored here. A new form gets a line in this list, and tests run it
 * through the pairing of calls, the exports and the summaries.
 */
export const toolForms: readonly ToolForm[] = [
  { name: 'OpenAI', messages: [openAiCall, { role: 'tool', tool_call_id: 'a', content: 'found' }] },
  {
    name: 'Anthropic',
    messages: [
      ask({ type: 'tool_use', id: 'a', name: 'find', input }),
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: text }] } as unknown as Message,
    ],
  },
  {
    name: 'Anthropic, run by the server',
    messages: [
      ask(
        { type: 'server_tool_use', id: 'a', name: 'find', input },
        { type: 'find_tool_result', tool_use_id: 'a', content: text },
      ),
    ],
  },
  {
    name: 'Anthropic, by MCP',
    messages: [
      ask(
        { type: 'mcp_tool_use', id: 'a', name: 'find', input },
        { type: 'mcp_tool_result', tool_use_id: 'a', is_error: false, content: text },
      ),
    ],
  },
  {
    name: 'pi',
    messages: [
      ask({ type: 'toolCall', id: 'a', name: 'find', arguments: input }),
      { role: 'toolResult', toolCallId: 'a', toolName: 'find', content: text } as unknown as Message,
    ],
  },
  { name: 'AI SDK, text', messages: [modelCall, modelResult({ type: 'text', value: 'found' })] },
  { name: 'AI SDK, parts', messages: [modelCall, modelResult({ type: 'content', value: text })] },
  { name: 'AI SDK, error', messages: [modelCall, modelResult({ type: 'error-text', value: 'found' })] },
  { name: 'AI SDK, denied', messages: [modelCall, modelResult({ type: 'execution-denied', reason: 'found' })] },
  { name: 'AI SDK UI', messages: [uiPart({ type: 'tool-find' })] },
  { name: 'AI SDK UI, dynamic', messages: [uiPart({ type: 'dynamic-tool', toolName: 'find' })] },
  {
    name: 'TanStack AI',
    messages: [
      {
        role: 'assistant',
        parts: [
          {
            type: 'tool-call',
            id: 'a',
            name: 'find',
            arguments: '{"q":"x"}',
            input,
            state: 'complete',
            output: 'found',
          },
          { type: 'tool-result', toolCallId: 'a', content: 'found', state: 'complete' },
        ],
      },
    ],
  },
  {
    name: 'TanStack AI, cut off, with parts as result',
    messages: [
      ask(
        { type: 'tool-call', id: 'a', name: 'find', arguments: '{"q":"x"}', state: 'input-complete' },
        { type: 'tool-result', toolCallId: 'a', content: [{ type: 'text', content: 'found' }], state: 'complete' },
      ),
    ],
  },
  {
    name: 'AI SDK UI, error',
    messages: [uiPart({ type: 'tool-find', state: 'output-error', output: undefined, errorText: 'found' })],
  },
]
