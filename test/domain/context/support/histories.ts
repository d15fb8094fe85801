import fc from 'fast-check'
import type { Message, MessagePart } from '../../../../src/contract/message.ts'

/** How calls and results are written. */
interface Dialect {
  call(ids: readonly string[], text: string): Message
  /** One message with all results, or one for each. */
  results(ids: readonly string[]): Message[]
}

const text = (words: string): MessagePart[] => (words === '' ? [] : [{ type: 'text', text: words }])
const uiPart = (id: string, state: string): MessagePart => ({ type: 'tool-weather', toolCallId: id, state, input: {} })

export const dialects: Readonly<Record<string, Dialect>> = {
  openai: {
    call: (ids, words) => ({
      role: 'assistant',
      content: words,
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    }),
    results: (ids) => ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
  },
  anthropic: {
    call: (ids, words) => ({
      role: 'assistant',
      content: [...text(words), ...ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} }))],
    }),
    results: (ids) =>
      ids.length === 0
        ? []
        : [{ role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })) }],
  },
  anthropicServer: {
    call: (ids, words) => ({
      role: 'assistant',
      content: [
        ...ids.flatMap((id) => [
          { type: 'server_tool_use', id, name: 's' },
          { type: 'web_search_tool_result', tool_use_id: id },
        ]),
        ...text(words),
      ],
    }),
    results: () => [],
  },
  pi: {
    call: (ids, words) => ({
      role: 'assistant',
      content: [...text(words), ...ids.map((id) => ({ type: 'toolCall', id, name: 'f', arguments: {} }))],
    }),
    results: (ids) =>
      ids.map((id) => ({ role: 'toolResult', toolCallId: id, toolName: 'f', content: [{ type: 'text', text: 'ok' }] })),
  },
  model: {
    call: (ids, words) => ({
      role: 'assistant',
      content: [...text(words), ...ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'f', input: {} }))],
    }),
    results: (ids) =>
      ids.length === 0
        ? []
        : [
            {
              role: 'tool',
              content: ids.map((id) => ({
                type: 'tool-result',
                toolCallId: id,
                toolName: 'f',
                output: { type: 'text', value: 'ok' },
              })),
            },
          ],
  },
  ui: {
    call: (ids, words) => ({
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        ...ids.map((id, i) => uiPart(id, i % 2 === 0 ? 'output-available' : 'input-available')),
        ...text(words),
      ],
    }),
    results: () => [],
  },
}

/** What became of the results of a call on the way. */
const fate = fc.constantFrom('whole', 'whole', 'whole', 'lost', 'doubled', 'turned', 'late', 'foreign')

const exchange: fc.Arbitrary<Message[]> = fc
  .record({
    dialect: fc.constantFrom(...Object.keys(dialects)),
    other: fc.constantFrom(...Object.keys(dialects)),
    ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', ''), { minLength: 1, maxLength: 3 }),
    words: fc.constantFrom('', 'Let me see.'),
    fate,
  })
  .map(({ dialect, other, ids, words, fate }) => {
    const { call, results } = dialects[dialect]!
    const calling = call(ids, words)
    switch (fate) {
      case 'lost':
        return [calling, ...results(ids.slice(1))]
      case 'doubled':
        return [calling, ...results([...ids, ids[0]!])]
      case 'turned':
        return [...results(ids), calling]
      case 'late':
        return [calling, { role: 'user', content: 'Wait.' }, ...results(ids)]
      case 'foreign':
        return [calling, ...dialects[other]!.results(['d', ...ids].reverse())]
      default:
        return [calling, ...results(ids)]
    }
  })

const single: fc.Arbitrary<Message[]> = fc
  .constantFrom<Message>(
    { role: 'user', content: 'Hello.' },
    { role: 'user', content: 'And then?' },
    { role: 'assistant', content: 'So it is.' },
    { role: 'system', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
        { type: 'text', text: 'and this' },
      ],
    },
    { role: 'assistant', content: 'Done.', toolCalls: [{ id: 'a', name: 'f', input: {}, result: 'ok' }] },
  )
  .map((message) => [message])

/** Conversations as they come out of crashes, merges and many providers. */
export const anyHistory: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: single }, { weight: 2, arbitrary: exchange }), { maxLength: 14 })
  .map((groups) => groups.flat().map((message) => structuredClone(message)))

interface Pieces {
  readonly calls: readonly string[]
  readonly results: readonly string[]
  /** Calls that nobody can answer any more. */
  readonly open: readonly string[]
}

/**
 * Says what a history has that a provider would refuse: calls without results, results without calls, and doubles.
 * Knows what {@link dialects} write.
 */
export function unpairedIn(messages: readonly Message[]): string[] {
  const faults: string[] = []
  let waiting: string[] = []
  for (const message of messages) {
    const { calls, results, open } = piecesOf(message)
    const own = [...calls]
    faults.push(...open.map((id) => `open ${id}`))
    if (results.every((id) => calls.includes(id))) {
      faults.push(...waiting.map((id) => `no result for ${id}`))
      waiting = []
    }
    for (const id of results) {
      const list = own.includes(id) ? own : waiting
      const at = list.indexOf(id)
      if (at < 0) faults.push(`no call for ${id}`)
      else list.splice(at, 1)
    }
    if (calls.length > 0) {
      faults.push(...waiting.map((id) => `no result for ${id}`))
      waiting = own
    }
    if (Array.isArray(message.content) && message.content.length === 0) faults.push('empty message')
    if ('toolCalls' in message) faults.push('display record')
  }
  return [...faults, ...waiting.map((id) => `no result for ${id}`)]
}

function piecesOf(message: Message): Pieces {
  const {
    role,
    content,
    parts,
    tool_calls: listed,
    tool_call_id: openAi,
    toolCallId: pi,
  } = message as Message & { tool_calls?: { id: string }[]; parts?: MessagePart[] }
  const calls = (listed ?? []).map(({ id }) => id)
  const results =
    role === 'tool' && openAi !== undefined ? [openAi as string] : role === 'toolResult' ? [pi as string] : []
  const open: string[] = []
  for (const part of [...(Array.isArray(content) ? content : []), ...(parts ?? [])]) {
    const {
      type,
      id,
      tool_use_id: use,
      toolCallId,
      state,
    } = part as { type: string; id: string; tool_use_id: string; toolCallId: string; state?: string }
    if (type === 'tool-weather') {
      if (!state!.startsWith('output')) open.push(toolCallId)
    } else if (type === 'tool_use' || type === 'server_tool_use' || type === 'toolCall') calls.push(id)
    else if (type === 'tool-call') calls.push(toolCallId)
    else if (type === 'tool_result' || type === 'web_search_tool_result') results.push(use)
    else if (type === 'tool-result') results.push(toolCallId)
  }
  return { calls, results, open: [...open, ...calls.filter((id) => id === '')] }
}

/**
 * Whether a message is another one, or what is left of it: no field or part that the other has not, in the same order.
 */
function isLeftOf(message: Message, original: Message): boolean {
  if (message === original) return true
  return Object.entries(message).every(([field, value]) => {
    const before = original[field]
    if (!Array.isArray(value) || !Array.isArray(before)) return JSON.stringify(value) === JSON.stringify(before)
    const rest = before.map((part) => JSON.stringify(part))
    return value.every((part) => {
      const at = rest.indexOf(JSON.stringify(part))
      rest.splice(0, at + 1)
      return at >= 0
    })
  })
}

/** Whether the messages are all of the history, each once and in order, or what is left of them. */
export function isPartOf(messages: readonly Message[], history: readonly Message[]): boolean {
  let at = 0
  return messages.every((message) => {
    while (at < history.length && !isLeftOf(message, history[at]!)) at++
    return at++ < history.length
  })
}
