import { expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { messageSize } from '../../../src/dialects/agently/rules/message-size.ts'

// Expected values: len(role) + 1 + len(…) of Agently's AgentlyMemoSession in Python 3.
it.each<[string, unknown, number]>([
  ['a text, in code points', 'héllo 👍', 5 + 7],
  ['an empty text', '', 5],
  ['nothing, where content is absent', undefined, 5],
  ['None, where content is null', null, 5 + 4],
  [
    'text parts by their text',
    [
      { type: 'text', text: 'ab' },
      { type: 'text', text: '👍' },
    ],
    5 + 3,
  ],
  ['a text part without text as nothing', [{ type: 'text' }], 5],
  ['texts in a list by themselves', ['ab', 'c'], 5 + 3],
  [
    'other parts by their JSON text, with a space after comma and colon',
    [{ type: 'x', n: 1 }],
    5 + '{"type": "x", "n": 1}'.length,
  ],
  [
    'nested parts, non-ASCII kept',
    [{ type: 'img', image_url: { url: 'ü"\n', l: [1, true, null] } }],
    5 + '{"type": "img", "image_url": {"url": "ü\\"\\n", "l": [1, true, null]}}'.length,
  ],
  ['emoji in parts as one', [{ type: 'x', e: '👍' }], 5 + '{"type": "x", "e": "."}'.length],
  ['members without a value as absent', [{ type: 'x', gone: undefined }], 5 + '{"type": "x"}'.length],
  [
    'small numbers as Python writes them',
    [{ type: 'x', n: 0.00001, m: 0.0001, k: -2.5e-7 }],
    5 + '{"type": "x", "n": 1e-05, "m": 0.0001, "k": -2.5e-07}'.length,
  ],
])('counts %s', (_, content, size) => {
  expect(messageSize({ role: 'user', content } as Message)).toBe(size)
})
