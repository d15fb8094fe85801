import { expect, it } from 'vitest'
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

it.each(toolForms)('says in the input of a summary what was called and found: $name', ({ messages }) => {
  expect(summaryInput([question, ...messages], 10_000).messages).toEqual([
    question,
    { role: 'assistant', content: '[find({"q":"x"}): found]' },
  ])
})
