import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { estimatePiTokens } from '../../../src/dialects/pi/rules/estimate-pi-tokens.ts'
import { estimateToolTokens } from '../../../src/domain/context/estimate-tool-tokens.ts'
import { modelMessage } from '../../../src/domain/context/model-message.ts'
import { systemText } from '../../../src/domain/context/system-text.ts'
import { withoutDisplayRecords } from '../../../src/domain/context/without-display-records.ts'
import { estimateTokens } from '../../../src/domain/tokens.ts'

const ofMessage = (message: Message) => modelMessage({ type: 'message', message })

describe('what an entry says to a model', () => {
  it('is its message, the same object', () => {
    const message: Message = { role: 'user', content: 'hi', metadata: {} }
    expect(ofMessage(message)).toBe(message)
  })
  it('is the summary of a branch', () => {
    expect(modelMessage({ type: 'branch_summary', data: { summary: 'We tried.' } })).toEqual({
      role: 'user',
      content:
        'The following is a summary of a branch that this conversation came back from:\n\n<summary>\nWe tried.</summary>',
    })
    for (const summary of ['', ' ', 5, null])
      expect(modelMessage({ type: 'branch_summary', data: { summary } })).toBeUndefined()
  })
  it('is what an extension has to say', () => {
    const content = [{ type: 'text', text: 'By the way' }]
    expect(modelMessage({ type: 'custom_message', data: { customType: 'x', content, display: false } })).toEqual({
      role: 'user',
      content,
    })
    expect(modelMessage({ type: 'custom_message', data: { customType: 'x' } })).toBeUndefined()
    expect(ofMessage({ role: 'custom', content: 'By the way' })).toEqual({ role: 'user', content: 'By the way' })
  })
  it.each([
    [{ command: 'ls', output: 'a\nb' }, 'Ran `ls`\n```\na\nb\n```'],
    [{ command: 'true', output: '', exitCode: 0 }, 'Ran `true`\n(no output)'],
    [{ command: 'no', output: 'x', exitCode: 3 }, 'Ran `no`\n```\nx\n```\n\nCommand exited with code 3'],
    [{ command: 'no', output: 'x', exitCode: 3, cancelled: true }, 'Ran `no`\n```\nx\n```\n\n(command cancelled)'],
    [
      { command: 'y', output: 'y', truncated: true, fullOutputPath: '/t' },
      'Ran `y`\n```\ny\n```\n\n[Output truncated. Full output: /t]',
    ],
  ])('is a command and what it put out: %j', (fields, content) =>
    expect(ofMessage({ role: 'bashExecution', ...fields })).toEqual({ role: 'user', content }),
  )
  it.each<[string, Partial<Message>]>([
    ['the empty draft of a reply', { content: '' }],
    ['blank text', { content: ' \n' }],
    ['a reply without content', {}],
    ['no parts', { content: [] }],
    ['blank parts', { content: [{ type: 'text', text: '' }], tool_calls: [] }],
    ['a thought that led to nothing', { content: '', reasoning_content: 'Hm.' }],
    ['a thought in parts', { content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] }],
    ['frames of a UI message', { parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'Hm.' }] }],
  ])('is nothing for an assistant’s message that says nothing: %s', (_, fields) =>
    expect(ofMessage({ role: 'assistant', ...fields })).toBeUndefined(),
  )
  it.each<[string, Message]>([
    ['a call', { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [{ id: 'a' }] }],
    ['a call in a part', { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }],
    ['a call as it was once written', { role: 'assistant', content: null, function_call: { name: 'f' } } as never],
    ['a refusal', { role: 'assistant', content: null, refusal: 'No.' } as never],
    [
      'a refusal after a thought',
      { role: 'assistant', content: null, reasoning_content: 'Hm.', refusal: 'No.' } as never,
    ],
    [
      'what only Go takes for blank, after a thought',
      { role: 'assistant', content: '\u0085', reasoning_content: 'Hm.' },
    ],
    ['an image', { role: 'assistant', content: [{ type: 'image' }] }],
    ['a medium', { role: 'assistant', content: '', media: ['x'] }],
    ['an empty message of a user', { role: 'user', content: '' }],
    ['an empty result', { role: 'tool', tool_call_id: 'a', content: '' }],
  ])('is a message that has more than text to say, or is not an assistant’s: %s', (_, message) =>
    expect(ofMessage(message)).toBe(message),
  )
  it('is a summary in one of pi’s roles, told as pi tells it', () => {
    expect(ofMessage({ role: 'branchSummary', summary: 'We tried.', fromId: 'x' })).toEqual(
      modelMessage({ type: 'branch_summary', data: { summary: 'We tried.' } }),
    )
    expect(ofMessage({ role: 'compactionSummary', summary: 'They met.' })).toEqual({
      role: 'user',
      content:
        'The conversation history before this point was compacted into the following summary:\n\n<summary>\nThey met.\n</summary>',
    })
    expect(ofMessage({ role: 'compactionSummary', summary: '' })).toBeUndefined()
  })
  it('is nothing for a command that is kept from it, and for what only marks the line', () => {
    expect(ofMessage({ role: 'bashExecution', command: 'ls', output: '', excludeFromContext: true })).toBeUndefined()
    for (const type of ['model_change', 'thinking_level_change', 'custom', 'label', 'session_info', 'unknown'])
      expect(modelMessage({ type, data: { content: 'x', summary: 'x' } })).toBeUndefined()
  })
})

describe('records of tools for display', () => {
  const records = [{ id: 'a', name: 'f', input: {}, result: 'ok' }, { name: 'g' }]
  it('never reach a model', () => {
    expect(ofMessage({ role: 'assistant', content: 'Done.', toolCalls: records })).toEqual({
      role: 'assistant',
      content: 'Done.',
    })
    expect(ofMessage({ role: 'assistant', content: '', toolCalls: records })).toBeUndefined()
    expect(ofMessage({ role: 'assistant', tool_calls: [{ id: 'a' }], toolCalls: records })).toEqual({
      role: 'assistant',
      tool_calls: [{ id: 'a' }],
    })
  })
  it('are told from calls of the same name', () => {
    for (const toolCalls of [
      [],
      'x',
      null,
      [{ id: 'a', function: { name: 'f' } }],
      [{ name: 'f' }, null],
      [{ id: 'a' }],
    ]) {
      const message = { role: 'assistant', toolCalls } as Message
      expect(withoutDisplayRecords(message)).toBe(message)
    }
  })
})

describe('pi’s estimate', () => {
  it.each<[Message, number]>([
    [{ role: 'user', content: '12345' }, 2],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: '1234' },
          { type: 'image', data: 'x'.repeat(99) },
        ],
      },
      1,
    ],
    [{ role: 'user', content: '😀' }, 1],
    [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '1234' },
          { type: 'thinking', thinking: '1234' },
          { type: 'toolCall', id: 'long', name: 'read', arguments: { a: 1 } },
        ],
      },
      5,
    ],
    [{ role: 'assistant', content: [] }, 0],
    [
      {
        role: 'toolResult',
        toolCallId: 'a',
        content: [
          { type: 'text', text: '1234' },
          { type: 'image', data: '' },
        ],
      },
      1201,
    ],
    [{ role: 'custom', content: '1' }, 1],
    [{ role: 'bashExecution', command: '12', output: '34' }, 1],
    [{ role: 'branchSummary', summary: '12345678' }, 2],
    [{ role: 'compactionSummary', summary: '12345678' }, 2],
    [{ role: 'system', content: '12345678' }, 2],
    [{ role: 'tool', tool_call_id: 'long', content: '12345678' }, 2],
    [
      {
        role: 'developer',
        content: [
          { type: 'text', text: '1234' },
          { type: 'image', data: 'x' },
        ],
      },
      1,
    ],
    [
      {
        role: 'assistant',
        content: '1234',
        tool_calls: [{ id: 'long', function: { name: 'read', arguments: '{"a": 1}' } }],
      },
      4,
    ],
    [{ role: 'assistant', tool_calls: [{ id: 'long', name: 'read', arguments: { a: 1 } }] }, 3],
  ])('of %j is %i', (message, tokens) => expect(estimatePiTokens(message)).toBe(tokens))
})

it('estimates tools as the text they are told in', () => {
  const tool = { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } }
  expect(estimateToolTokens([tool, { name: 'f' }], ({ content }) => (content as string).length)).toBe(
    'weather\nTells the weather.\n{"type":"object"}'.length + 'f\n\n{}'.length,
  )
  expect(estimateToolTokens([], estimateTokens)).toBe(0)
})

it('tells of a summary and of a memo, and nothing of what is not there', () => {
  expect(systemText('', ' ')).toBe('')
  expect(systemText(' It was so. ', '')).toMatch(/^# Summary[^#]*\n\nIt was so\.$/)
  expect(systemText('', '{"a":1}')).toMatch(/^# Memo[^#]*\n\n\{"a":1\}$/)
  expect(systemText('s', 'm')).toBe(`${systemText('s', '')}\n\n${systemText('', 'm')}`)
})
