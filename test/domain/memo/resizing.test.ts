import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { chunkMessages } from '../../../src/dialects/agently/rules/chunk-messages.ts'
import { judgeByDefault } from '../../../src/dialects/agently/rules/judge-by-default.ts'
import { readMemoRules } from '../../../src/dialects/agently/rules/memo-settings.ts'
import { messageSize } from '../../../src/dialects/agently/rules/message-size.ts'
import { pruneMessages } from '../../../src/dialects/agently/rules/prune-messages.ts'
import { readPolicyResult } from '../../../src/dialects/agently/rules/resize-decision.ts'
import { summariseAttachments } from '../../../src/dialects/agently/rules/summarise-attachments.ts'

const history = fc.array(
  fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ maxLength: 20 }) }),
  { maxLength: 20 },
)
const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((size, message) => size + messageSize(message), 0)
const numbered = (count: number): Message[] =>
  Array.from({ length: count }, (_, i) => ({ role: 'user', content: `m${i}` }))

describe('pruning', () => {
  it('keeps an end of the view that fits, as long as can be, and at least one message', () => {
    fc.assert(
      fc.property(
        history,
        fc.integer({ min: -1, max: 200 }),
        fc.option(fc.integer({ min: 0, max: 25 })),
        (current, chars, messages) => {
          const kept = pruneMessages(current, { chars, messages })
          expect(kept).toEqual(current.slice(current.length - kept.length))
          const room = Math.min(current.length, messages ?? current.length)
          expect(kept.length).toBeLessThanOrEqual(room)
          if (room > 0) expect(kept.length).toBeGreaterThan(0)
          if (chars > 0 && kept.length > 1) expect(sizeOf(kept)).toBeLessThanOrEqual(chars)
          if (kept.length < room)
            expect(sizeOf(current.slice(-kept.length - 1))).toBeGreaterThan(chars > 0 ? chars : Infinity)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('with 0 messages keeps none (C15)', () =>
    expect(pruneMessages(numbered(3), { chars: 100, messages: 0 })).toEqual([]))

  it('counts the size of a view that is short enough as well (C15)', () => {
    expect(pruneMessages(numbered(3), { chars: 14, messages: 10 })).toEqual(numbered(3).slice(1))
  })
})

describe('chunks', () => {
  it('are the history again, each within the size or a single message, and none could take the next one’s first', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 60 }), (messages, chars) => {
        const chunks = [...chunkMessages(messages, chars)]
        expect(chunks.flat()).toEqual(messages)
        for (const [i, chunk] of chunks.entries()) {
          expect(chunk.length).toBeGreaterThan(0)
          if (chunk.length > 1) expect(sizeOf(chunk)).toBeLessThanOrEqual(chars)
          const next = chunks[i + 1]?.[0]
          if (next !== undefined) expect(sizeOf([...chunk, next])).toBeGreaterThan(chars)
        }
      }),
    )
  })

  it('without a size are one', () =>
    expect([[...chunkMessages(numbered(3), 0)], [...chunkMessages([], 0)]]).toEqual([[numbered(3)], []]))
})

describe('the default policy', () => {
  it('measures no more of a view than it needs', () => {
    let measured = 0
    const view = numbered(100).map(({ role }) => ({
      role,
      get content() {
        measured++
        return 'ten chars.'
      },
    }))
    expect(judgeByDefault(view, 0, readMemoRules({ limit: { chars: 100 } }))).toMatchObject({ type: 'deep' })
    expect(measured).toBeLessThan(10)
  })

  const rules = readMemoRules({ limit: { messages: 2 }, resize: { every_n_turns: 3 } })

  it.each<[string, number, number, string | undefined]>([
    ['does nothing below the limits', 2, 2, undefined],
    ['counts messages before turns', 3, 3, 'max_keep_messages_count'],
    ['counts turns', 2, 3, 'every_n_turns'],
  ])('%s', (_, messages, turns, reason) =>
    expect(judgeByDefault(numbered(messages), turns, rules)?.reason).toBe(reason),
  )

  it('never counts messages against a limit of 0', () =>
    expect(judgeByDefault(numbered(3), 0, { ...rules, messages: 0 })).toBeNull())
})

describe('what a policy gives', () => {
  it.each<[unknown, unknown]>([
    [null, null],
    [undefined, null],
    ['lite', { type: 'lite' }],
    [
      { type: 'own', reason: 'r', more: 1 },
      { type: 'own', reason: 'r', more: 1 },
    ],
  ])('%j is read as %j', (result, decision) => {
    expect(readPolicyResult(result)).toEqual(decision)
  })

  it.each([[5], [true], [{}], [{ type: 7 }], [['lite']], [5n]])('%s is refused', (result) => {
    expect(() => readPolicyResult(result)).toThrow(
      new TypeError(
        `Invalid policy result: ${typeof result === 'bigint' ? '5' : JSON.stringify(result)}. A policy must return null, the name of a type, or an object with a type.`,
      ),
    )
  })
})

describe('summaries of attachments', () => {
  it('look at a part’s own members only', () => {
    expect(summariseAttachments({ content: [{ type: 'image_url', image_url: { url: 'u' } }] })).toEqual([
      { type: 'image_url', ref: null, meta: {} },
    ])
  })

  it('pass over texts, and keep what is there of what describes the rest', () => {
    expect(
      summariseAttachments({
        content: ['plain', { type: 'a', id: 7, mime_type: null, width: 0, duration: 1.5, other: 'x' }],
      }),
    ).toEqual([{ type: 'a', ref: 7, meta: { mime_type: null, width: 0, duration: 1.5 } }])
  })
})
