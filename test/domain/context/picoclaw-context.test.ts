import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { estimatePicoClawTokens } from '../../../src/dialects/picoclaw/rules/estimate-picoclaw-tokens.ts'
import { findSafeBoundary } from '../../../src/dialects/picoclaw/rules/find-safe-boundary.ts'
import { sanitiseHistory } from '../../../src/dialects/picoclaw/rules/sanitise-history.ts'
import vectors from './picoclaw-vectors.json'

const roles: Readonly<Record<string, string>> = { u: 'user', a: 'assistant', c: 'assistant', t: 'tool' }
const historyOf = (letters: string): Message[] => [...letters].map((letter) => ({ role: roles[letter]! }))

describe('PicoClaw’s estimate', () => {
  it.each(vectors.tokens as [Message, number][])('of %j is as in PicoClaw', (message, tokens) =>
    expect(estimatePicoClawTokens(message)).toBe(tokens),
  )

  it('counts the texts of a message in parts', () => {
    expect(
      estimatePicoClawTokens({
        role: 'user',
        content: [
          { type: 'text', text: 'ab' },
          { type: 'image', data: 'x'.repeat(1000) },
        ],
      }),
    ).toBe(estimatePicoClawTokens({ role: 'user', content: 'ab' }))
  })
})

describe('the safe boundary', () => {
  it.each(vectors.boundaries as [string, number, number][])('of "%s" near %i is %i', (letters, target, want) =>
    expect(findSafeBoundary(historyOf(letters), target)).toBe(want),
  )

  it('never tears a turn of a history that has user messages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('u', 'a', 't'), { maxLength: 20 }),
        fc.integer({ min: -2, max: 22 }),
        (letters, target) => {
          const history = historyOf(letters.join(''))
          const cut = findSafeBoundary(history, target)
          fc.pre(letters.includes('u'))
          expect(cut === 0 || cut === history.length || history[cut]?.role === 'user').toBe(true)
        },
      ),
    )
  })
})

describe('a history for a provider', () => {
  it.each(vectors.histories as unknown as [string, Message[], number[]][])('%s', (_, history, kept) =>
    expect(sanitiseHistory(history)).toEqual(kept.map((i) => history[i])),
  )

  it('holds each call with all its results, each once, and no others, and stays so', () => {
    const call = fc
      .array(fc.constantFrom('A', 'B', 'C', ''), { minLength: 1, maxLength: 3 })
      .map(
        (ids): Message => ({ role: 'assistant', content: '', tool_calls: ids.map((id) => ({ id, type: 'function' })) }),
      )
    const result = fc
      .constantFrom('A', 'B', 'C', '')
      .map((id): Message => ({ role: 'tool', content: 'r', tool_call_id: id }))
    const other = fc.constantFrom('user', 'assistant', 'system').map((role): Message => ({ role, content: 'x' }))
    fc.assert(
      fc.property(fc.array(fc.oneof(call, result, result, other), { maxLength: 15 }), (history) => {
        const kept = sanitiseHistory(history)
        expect(sanitiseHistory(kept)).toEqual(kept)
        let open: string[] = []
        for (const { role, tool_calls: calls, tool_call_id: id } of kept) {
          if (role === 'tool') {
            expect(open).toContain(id)
            open = open.filter((one) => one !== id)
            continue
          }
          expect(open).toEqual([])
          open = [...new Set(((calls ?? []) as { id: string }[]).map((one) => one.id))]
        }
        expect(open).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})
