import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { findCutPoint } from '../../../src/domain/context/find-cut-point.ts'
import { callIds, resultIds } from '../../../src/domain/tool-calls.ts'
import { anyHistory, dialects } from './support/histories.ts'

const user: Message = { role: 'user', content: 'a' }
const answer: Message = { role: 'assistant', content: 'b' }
const { pi } = dialects
const one = (): number => 1
const call = (...ids: string[]): Message => pi!.call(ids, '')
const results = (...ids: string[]): Message[] => pi!.results(ids)

describe('the cut point', () => {
  it('keeps about so many tokens, from the end', () => {
    const history = [user, answer, user, answer, user, answer]
    expect([1, 2, 3, 4, 5].map((keep) => findCutPoint(history, keep, one).index)).toEqual([5, 4, 3, 2, 1])
  })
  it('keeps everything when there is not more', () => {
    expect(findCutPoint([user, answer], 2, one)).toEqual({ index: 0 })
    expect(findCutPoint([], 2, one)).toEqual({ index: 0 })
  })
  it('is behind the results it would tear off', () => {
    expect(findCutPoint([user, call('x', 'y'), ...results('x', 'y'), answer], 3, one).index).toBe(4)
  })
  it('is in front of the call when the last result alone is more', () => {
    expect(findCutPoint([user, answer, user, call('x'), ...results('x')], 1, one).index).toBe(3)
  })
  it('leaves a call that waits for its result, and all behind it, in what is kept', () => {
    expect(findCutPoint([user, answer, user, call('x'), answer, answer], 1, one).index).toBe(3)
    expect(findCutPoint([user, answer, user, call('x', 'y'), ...results('x'), answer], 1, one).index).toBe(3)
    // Nobody answers it any more.
    expect(findCutPoint([user, call('x'), answer, user, answer], 3, one).index).toBe(2)
  })
  it('says which turn it splits', () => {
    const history = [user, answer, user, answer, answer, answer]
    expect(findCutPoint(history, 2, one)).toEqual({ index: 4, turnStart: 2 })
    expect(findCutPoint(history, 4, one)).toEqual({ index: 2 })
    expect(findCutPoint([answer, answer, answer], 1, one)).toEqual({ index: 2 })
  })
  it('is never between a call and its result', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 20 }), (history, keep) => {
        const { index } = findCutPoint(history, keep, one)
        if (index === 0) return
        const [before, after] = [history.slice(0, index), history.slice(index)]
        for (const id of after.slice(0, 1).flatMap(resultIds)) expect(after.slice(0, 1).flatMap(callIds)).toContain(id)
        // The first result after the cut with the id of a call that is open before it.
        const open = new Set<string>()
        for (const message of before) {
          for (const id of resultIds(message)) open.delete(id)
          for (const id of callIds(message)) if (!resultIds(message).includes(id)) open.add(id)
        }
        const torn = after.flatMap((message, i) => resultIds(message).filter((id) => open.has(id) && !after.slice(0, i + 1).some((earlier) => callIds(earlier).includes(id))))
        expect(torn).toEqual([])
      }),
      { numRuns: 3000 },
    )
  })
})
