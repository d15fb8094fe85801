import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { Message } from '../../src/contract/message.ts'
import { entrySteps } from '../../src/dialects/pi/format/pi-line-ids.ts'
import { piMessage } from '../../src/dialects/pi/format/pi-message.ts'
import { picoClawLines } from '../../src/dialects/picoclaw/format/picoclaw-message.ts'
import { summaryInput } from '../../src/dialects/picoclaw/rules/summary-lines.ts'
import { pairToolCalls } from '../../src/domain/context/pair-tool-calls.ts'
import { callIds, resultIds } from '../../src/domain/tool-calls.ts'
import { messagePieces } from '../../src/formats/message-pieces.ts'
import { openAiMessages } from '../../src/formats/openai/write-messages.ts'
import { toolForms } from '../support/tool-forms.ts'

const question = { role: 'user', content: 'q' }

it.each(toolForms)('finds call and result: $name', ({ messages }) => {
  expect([messages.flatMap(callIds), messages.flatMap(resultIds)]).toEqual([['a'], ['a']])
})

it.each(toolForms)('keeps a call with its result: $name', ({ messages }) => {
  const history = [question, ...messages]
  expect(pairToolCalls(history)).toBe(history)
})

it.each(toolForms.filter(({ messages }) => messages.length > 1))(
  'takes out a call without a result, and a result without a call: $name',
  ({ messages: [call, result] }) => {
    expect(pairToolCalls([question, call!])).toEqual([question])
    expect(pairToolCalls([question, result!])).toEqual([question])
  },
)

it.each(toolForms)('exports the call and the result: $name', ({ messages }) => {
  const pieces = messages.flatMap(messagePieces)
  expect(pieces.map(({ kind }) => kind)).toEqual(['call', 'result'])
  expect(pieces[0]).toEqual({ kind: 'call', id: 'a', name: 'find', arguments: '{"q":"x"}' })
  expect(pieces[1]).toMatchObject({ callId: 'a', text: 'found' })
})

it.each(toolForms)('exports in the form of OpenAI: $name', ({ messages }) => {
  expect(messages.flatMap(openAiMessages)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'found' },
  ])
})

it.each(toolForms)('exports in the form of PicoClaw: $name', ({ messages }) => {
  const lines = messages.flatMap((message) => picoClawLines({ message, at: 0 }))
  expect(lines).toMatchObject([
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'find', arguments: '{"q":"x"}' } }] },
    { tool_call_id: 'a', content: 'found' },
  ])
})

it.each(toolForms)('exports in the form of pi: $name', ({ messages }) => {
  const names = new Map<string, string>()
  const steps = messages.flatMap((message) => entrySteps({ type: 'message', data: { message } } as never))
  expect(steps.map((step) => piMessage(step, 0, names))).toMatchObject([
    { role: 'assistant', content: [{ type: 'toolCall', id: 'a', name: 'find', arguments: { q: 'x' } }] },
    { role: 'toolResult', toolCallId: 'a', toolName: 'find', content: [{ type: 'text', text: 'found' }] },
  ])
})

it('exports what was said after the result of a tool behind it', () => {
  const content = [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'a', name: 'find', input: {} },
    { type: 'tool_result', tool_use_id: 'a', content: 'found' },
    { type: 'text', text: 'There it is.' },
  ]
  const message = { role: 'assistant', id: 'm', content } as unknown as Message
  const said = (list: readonly JsonObject[]): unknown => list.map(({ role, content: text }) => [role, text])
  const expected = [
    ['assistant', 'I look.'],
    ['tool', 'found'],
    ['assistant', 'There it is.'],
  ]
  expect(said(openAiMessages(message))).toEqual(expected)
  expect(said(picoClawLines({ message, at: 0 }))).toEqual(expected)
})

it.each(toolForms)('says in the input of a summary what was called and found: $name', ({ messages }) => {
  expect(summaryInput([question, ...messages], 10_000).messages).toEqual([
    question,
    { role: 'assistant', content: '[find({"q":"x"}): found]' },
  ])
})
