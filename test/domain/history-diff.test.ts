import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/contract/message.ts'
import { planHistory } from '../../src/domain/history-diff.ts'

/** Histories of few different messages, so that they repeat and overlap. */
const histories = fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }).map((texts) => texts.map(says))

function says(content: string): Message {
  return { role: 'user', content }
}

describe('planHistory', () => {
  it('makes the new history of the old one', () => {
    fc.assert(
      fc.property(histories, histories, (before, after) => {
        const { from, to, appendFrom } = planHistory(before, after)
        expect([...before.slice(0, from), ...before.slice(to), ...after.slice(appendFrom)]).toEqual(after)
      }),
    )
  })

  it('only appends when the old one is the start of the new one', () => {
    fc.assert(
      fc.property(histories, histories, (before, more) => {
        const { from, to, appendFrom } = planHistory(before, [...before, ...more])
        expect([to - from, appendFrom]).toEqual([0, before.length])
      }),
    )
  })

  it('only cuts when the new one is the end of the old one', () => {
    fc.assert(
      fc.property(histories, histories, (dropped, kept) => {
        const { from, to, appendFrom } = planHistory([...dropped, ...kept], kept)
        expect([from === 0 || to === from, to - from, appendFrom]).toEqual([true, dropped.length, kept.length])
      }),
    )
  })

  it.each([
    ['a system prompt and the last messages', 'sabcd', 'scd', [1, 3, 3]],
    ['the same with more', 'sabcd', 'scde', [1, 3, 3]],
    ['another last message', 'abc', 'abd', [2, 3, 2]],
    ['the last messages and more', 'abcd', 'cde', [0, 2, 2]],
    ['something else', 'abc', 'de', [0, 3, 0]],
    ['nothing', 'abc', '', [0, 3, 0]],
    ['something out of nothing', '', 'abc', [0, 0, 0]],
  ])('keeps what it can of %s', (_, before, after, [from, to, appendFrom]) => {
    expect(planHistory([...before].map(says), [...after].map(says))).toEqual({ from, to, appendFrom })
  })

  it('compares messages by their content, not by the order of their fields', () => {
    expect(planHistory([{ role: 'user', content: 'a', x: undefined }], [{ content: 'a', role: 'user' }])).toEqual({
      from: 1,
      to: 1,
      appendFrom: 1,
    })
  })

  it('takes time in proportion to the length, however often texts repeat', () => {
    const long = Array.from({ length: 20_000 }, () => says('a'))
    expect(planHistory([says('s'), ...long, says('b')], [says('s'), ...long, says('c')])).toEqual({
      from: 20_001,
      to: 20_002,
      appendFrom: 20_001,
    })
  })
})
