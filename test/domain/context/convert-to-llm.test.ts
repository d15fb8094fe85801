import { expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { convertToLlm } from '../../../src/dialects/pi/rules/convert-to-llm.ts'

const told = (text: string, timestamp?: number): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  ...(timestamp === undefined ? {} : { timestamp }),
})

it('hands on messages of a user, an assistant and a tool as they are, empty ones too', () => {
  const messages: Message[] = [
    { role: 'user', content: 'q', timestamp: 1 },
    { role: 'assistant', content: [], stopReason: 'aborted' },
    { role: 'toolResult', toolCallId: 'a', content: [] },
  ]
  const given = convertToLlm(messages)
  expect(given).toEqual(messages)
  expect(given.every((message, i) => message === messages[i])).toBe(true)
})

it('tells commands, what extensions said and summaries as pi does, with their times', () => {
  expect(
    convertToLlm([
      { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 1, timestamp: 2 },
      { role: 'bashExecution', command: 'env', output: 'x', excludeFromContext: true, timestamp: 3 },
      { role: 'custom', customType: 'x', content: 'By the way', timestamp: 4 },
      { role: 'custom', customType: 'x', content: [{ type: 'image', data: 'x' }] },
      { role: 'branchSummary', summary: 'We tried.', fromId: 'root', timestamp: 5 },
      { role: 'compactionSummary', summary: 'They met.', tokensBefore: 9, timestamp: 6 },
    ]),
  ).toEqual([
    told('Ran `ls`\n```\na\n```\n\nCommand exited with code 1', 2),
    told('By the way', 4),
    { role: 'user', content: [{ type: 'image', data: 'x' }] },
    told(
      'The following is a summary of a branch that this conversation came back from:\n\n<summary>\nWe tried.</summary>',
      5,
    ),
    told(
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nThey met.\n</summary>',
      6,
    ),
  ])
})

it('knows no other roles', () => {
  expect(
    convertToLlm([
      { role: 'system', content: 's' },
      { role: 'tool', tool_call_id: 'a', content: 'r' },
    ]),
  ).toEqual([])
})
