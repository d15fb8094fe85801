import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { findCutPoint } from '../../../src/domain/context/find-cut-point.ts'
import { matchResults } from '../../../src/domain/context/match-results.ts'
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
  it('takes no notice of ids that are used again in later turns', () => {
    const [open, answered] = ['input-available', 'output-available'].map(
      (state): Message => ({ role: 'assistant', parts: [{ type: 'tool-f', toolCallId: 'call_0', state }] }),
    )
    expect(findCutPoint([user, open!, user, answer, user, answered!], 2, one).index).toBe(4)
    expect(findCutPoint([user, call('x'), user, answer, ...results('x'), user, answer], 3, one).index).toBe(5)
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
        // Each half alone has the pairs that it has in the whole.
        expect([...matchResults(history.slice(0, index)), ...matchResults(history.slice(index))]).toEqual(
          matchResults(history),
        )
      }),
      { numRuns: 3000 },
    )
  })
})
