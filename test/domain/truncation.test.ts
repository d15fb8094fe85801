import { describe, expect, it } from 'vitest'
import { clockKey, orderOf } from '../../src/domain/order.ts'
import { planTruncation } from '../../src/domain/truncation.ts'

const turn = (hp: number): string => clockKey({ hp, hc: 0 }, 1)
const answer = (hp: number, own: number): string =>
  orderOf({ w: 1, clock: { hp: own, hc: 0 }, turn: { hp, hc: 0, w: 1, s: 0 } })

/** Two turns of a question and two answers each. */
const newestFirst = [answer(20, 22), answer(20, 21), turn(20), answer(10, 12), answer(10, 11), turn(10)].map(
  (order) => ({ order }),
)

describe('planTruncation', () => {
  it.each([
    [-3, '~'],
    [0, '~'],
    [1, answer(20, 21)],
    [2, turn(20)],
    [3, `${turn(10)}~`],
    [4, answer(10, 11)],
    [5, turn(10)],
    [6, undefined],
    [99, undefined],
  ])('to the last %i cuts at %s', (keepLast, order) => expect(planTruncation(newestFirst, keepLast)).toBe(order))

  it('needs one message more than it keeps', () => {
    expect(planTruncation(newestFirst.slice(0, 4), 3)).toBe(`${turn(10)}~`)
  })

  it('does nothing where there is nothing', () => {
    expect([planTruncation([], 0), planTruncation([], 1)]).toEqual([undefined, undefined])
  })
})
