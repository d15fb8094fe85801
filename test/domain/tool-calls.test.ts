import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callIds, resultIds } from '../../src/domain/tool-calls.ts'

const uiTool = (state: string) => ({
  role: 'assistant',
  parts: [{ type: 'step-start' }, { type: 'tool-weather', toolCallId: 'a', state, input: {} }],
})

/** dialect, message, calls, results */
const dialects: [string, unknown, string[], string[]][] = [
  [
    'OpenAI call',
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }, { id: 'b' }],
    },
    ['a', 'b'],
    [],
  ],
  ['OpenAI result', { role: 'tool', tool_call_id: 'a', content: 'ok' }, [], ['a']],
  [
    'PicoClaw call beside text',
    { role: 'assistant', content: 'Let me see', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
    ['a'],
    [],
  ],
  [
    'Anthropic call',
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
      ],
    },
    ['a'],
    [],
  ],
  [
    'Anthropic result',
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
        { type: 'tool_result', tool_use_id: 'b', is_error: true },
      ],
    },
    [],
    ['a', 'b'],
  ],
  [
    'Anthropic server tool',
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 'a', name: 'web_search' },
        { type: 'web_search_tool_result', tool_use_id: 'a' },
      ],
    },
    ['a'],
    ['a'],
  ],
  [
    'Anthropic MCP tool',
    {
      role: 'assistant',
      content: [
        { type: 'mcp_tool_use', id: 'a' },
        { type: 'mcp_tool_result', tool_use_id: 'a' },
      ],
    },
    ['a'],
    ['a'],
  ],
  ['pi call', { role: 'assistant', content: [{ type: 'toolCall', id: 'a', name: 'f', arguments: {} }] }, ['a'], []],
  [
    'pi result',
    { role: 'toolResult', toolCallId: 'a', toolName: 'f', content: [{ type: 'text', text: 'ok' }] },
    [],
    ['a'],
  ],
  [
    'AI SDK model call',
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} }] },
    ['a'],
    [],
  ],
  [
    'AI SDK model result',
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', output: { type: 'text', value: 'ok' } }],
    },
    [],
    ['a'],
  ],
  [
    'AI SDK approval request, which is neither',
    { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'x', toolCallId: 'a' }] },
    [],
    [],
  ],
  ['AI SDK UI call while its input streams', uiTool('input-streaming'), ['a'], []],
  ['AI SDK UI call with its input', uiTool('input-available'), ['a'], []],
  ['AI SDK UI call that waits for approval', uiTool('approval-requested'), ['a'], []],
  ['AI SDK UI call that was approved', uiTool('approval-responded'), ['a'], []],
  ['AI SDK UI call with its output', uiTool('output-available'), ['a'], ['a']],
  ['AI SDK UI call that failed', uiTool('output-error'), ['a'], ['a']],
  ['AI SDK UI call that was denied', uiTool('output-denied'), ['a'], ['a']],
  [
    'AI SDK UI dynamic tool',
    { role: 'assistant', parts: [{ type: 'dynamic-tool', toolName: 'f', toolCallId: 'a', state: 'output-available' }] },
    ['a'],
    ['a'],
  ],
  [
    'AI SDK UI tool called “result”, still open',
    { role: 'assistant', parts: [{ type: 'tool-result', toolCallId: 'a', state: 'input-available' }] },
    ['a'],
    [],
  ],
  [
    'AI SDK UI tool called “call”, ended',
    { role: 'assistant', parts: [{ type: 'tool-call', toolCallId: 'a', state: 'output-available' }] },
    ['a'],
    ['a'],
  ],
  ['message without tools', { role: 'user', content: 'hi' }, [], []],
  ['tool_call_id on another role', { role: 'user', tool_call_id: 'a', toolCallId: 'b', content: '' }, [], []],
  [
    'id named twice',
    {
      role: 'assistant',
      tool_calls: [{ id: 'a' }],
      content: [
        { type: 'tool_use', id: 'a' },
        { type: 'tool_result', tool_use_id: 'b' },
        { type: 'tool_result', tool_use_id: 'b' },
      ],
    },
    ['a'],
    ['b'],
  ],
  [
    'id that is missing, empty or no text',
    {
      role: 'tool',
      tool_calls: [{}, { id: '' }, { id: 1 }, null],
      content: [{ type: 'tool_result' }, { type: 'tool_use', id: null }],
      tool_call_id: '',
    },
    [],
    [],
  ],
]

describe('callIds', () => {
  it.each(dialects)('finds the calls of: %s', (_, message, calls) => {
    expect(callIds(message)).toEqual(calls)
  })
})

describe('resultIds', () => {
  it.each(dialects)('finds the results of: %s', (_, message, _calls, results) => {
    expect(resultIds(message)).toEqual(results)
  })
})

describe('both', () => {
  it('never throw, whatever the shape', () => {
    const field = fc.constantFrom(
      'role',
      'content',
      'parts',
      'tool_calls',
      'tool_call_id',
      'toolCallId',
      'type',
      'id',
      'state',
      'tool_use_id',
    )
    const leaf = fc.oneof(
      fc.constantFrom('tool', 'toolResult', 'tool_use', 'tool-x', 'tool_result', 'output-error'),
      fc.jsonValue(),
    )
    const { odd } = fc.letrec<{ odd: unknown }>((tie) => ({
      odd: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('odd')), fc.dictionary(field, tie('odd'))),
    }))
    fc.assert(
      fc.property(odd, (message) => {
        expect([...callIds(message), ...resultIds(message)].every((id) => typeof id === 'string' && id !== '')).toBe(
          true,
        )
      }),
      { numRuns: 1000 },
    )
  })
})
