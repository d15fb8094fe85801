import { expect, it } from 'vitest'
import type { DraftPart } from '../../src/contract/change.ts'
import type { Message } from '../../src/contract/message.ts'
import { pairToolCalls } from '../../src/domain/context/pair-tool-calls.ts'
import { joinParts } from '../../src/domain/join-parts.ts'
import { messageParts, replyMessage } from '../../src/domain/reply-message.ts'
import { callIds } from '../../src/domain/tool-calls.ts'

const input = (id: string, piece: string, name?: string): DraftPart => ({
  type: 'toolInput',
  id,
  input: piece,
  ...(name === undefined ? {} : { name }),
})
const folded = (pieces: readonly DraftPart[], isInterrupted = false): Message => {
  const parts: DraftPart[] = []
  joinParts(parts, pieces)
  return replyMessage('assistant', parts, isInterrupted ? 'interrupted' : 'complete')
}
const image = { type: 'image', url: 'x' }

it('makes a text of text, with the reasoning beside it', () => {
  expect(
    folded([
      { type: 'reasoning', text: 'be' },
      { type: 'reasoning', text: 'cause' },
      { type: 'text', text: 'a' },
      { type: 'reasoning', text: '!' },
      { type: 'text', text: 'b' },
    ]),
  ).toEqual({ role: 'assistant', content: 'ab', reasoning_content: 'because!' })
  expect(folded([])).toEqual({ role: 'assistant', content: '' })
})

it('makes tool calls of tool input, in the form that the others know', () => {
  const message = folded([
    { type: 'text', text: 'Look:' },
    input('1', '{"a"', 'f'),
    input('2', '', 'g'),
    input('1', ':1}'),
  ])
  expect(message).toEqual({
    role: 'assistant',
    content: 'Look:',
    tool_calls: [
      { id: '1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: '2', type: 'function', function: { name: 'g', arguments: '' } },
    ],
  })
  expect(callIds(message)).toEqual(['1', '2'])
})

it('keeps structured parts among the text, in their order', () => {
  expect(
    folded([
      { type: 'text', text: 'a' },
      { type: 'part', part: image },
      { type: 'text', text: 'b' },
      { type: 'text', text: 'c' },
    ]).content,
  ).toEqual([{ type: 'text', text: 'a' }, image, { type: 'text', text: 'bc' }])
})

it.each<[string, Message]>([
  ['text', { role: 'assistant', content: 'a' }],
  ['text and reasoning', { role: 'assistant', content: 'a', reasoning_content: 'r' }],
  [
    'tool calls with fields of their own',
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'custom', function: { name: 'f', arguments: '{"a' }, signature: 's' }],
    },
  ],
  [
    'structured parts',
    { role: 'assistant', content: [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b', cache: true }] },
  ],
  ['fields of the app', { role: 'assistant', content: 'a', usage: { tokens: 3 }, id: 'm1' }],
])('makes the same message again of the parts of one with %s, without its mark', (_, message) => {
  expect(replyMessage(message.role, messageParts(message), 'complete', { ...message, interrupted: true })).toEqual(
    message,
  )
  expect(replyMessage(message.role, messageParts(message), 'interrupted', message)).toEqual({
    ...message,
    interrupted: true,
  })
})

it('gives a model what an interrupted reply has said, without the call that never ended', () => {
  const cutOff = folded([{ type: 'text', text: 'Let me look.' }, input('c', '{"ci', 'weather')], true)
  const user = { role: 'user', content: 'and?' }
  const { tool_calls: _, ...said } = cutOff
  expect(pairToolCalls([user, cutOff, user])).toEqual([user, said, user])
  expect(pairToolCalls([user, folded([input('c', '{"ci', 'weather')], true), user])).toEqual([user, user])
  // A whole one lacks something that was there once: it is left out, as PicoClaw does.
  expect(pairToolCalls([user, folded([{ type: 'text', text: 'Let me look.' }, input('c', '{}')]), user])).toEqual([
    user,
    user,
  ])
})
