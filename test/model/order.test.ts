import { indexedDB } from 'fake-indexeddb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/contract/entry.ts'
import { clockLimit } from '../../src/domain/clock.ts'
import type { Position } from '../../src/domain/order.ts'
import { orderEnd, orderOf, turnEnd, turnKey } from '../../src/domain/order.ts'
import { holds, patience, report } from './support/laws.ts'
import { schedules } from './support/schedules.ts'
import { exchangeAll, simulate } from './support/simulation.ts'

/** Few values, so that they meet often, and the greatest there are. */
const clocks: fc.Arbitrary<Clock> = fc.record({
  hp: fc.oneof(
    fc.nat(3),
    fc.integer({ min: 60, max: 66 }),
    fc.constantFrom(clockLimit - 1, 2 ** 36, 1_700_000_000_000),
  ),
  hc: fc.oneof(fc.nat(3), fc.integer({ min: 60, max: 66 }), fc.constant(2 ** 18 - 1)),
})
const writers = fc.oneof(fc.nat(2), fc.constantFrom(63, 64, Number.MAX_SAFE_INTEGER))

/** Openers, first runs and later runs; the clocks ascend from turn to run to entry. */
const positions: fc.Arbitrary<Position> = fc
  .tuple(fc.tuple(clocks, clocks, clocks), writers, writers, fc.nat(2))
  .map(([three, w, other, kind]) => {
    const [first, second, third] = [...three].sort((a, b) => a.hp - b.hp || a.hc - b.hc) as [Clock, Clock, Clock]
    if (kind === 0 || isSame(first, second)) return { w, clock: third }
    if (kind === 1) return { w, clock: second, turn: { ...first, w, s: 0 } }
    return { w, clock: third, turn: { ...first, w: other, s: 0 }, run: second }
  })

function isSame(a: Clock, b: Clock): boolean {
  return a.hp === b.hp && a.hc === b.hc
}

/**
 * What an order stands for, written out: turn; then opener, first run, later runs by their first clock and writer; then
 * own clock.
 */
function tupleOf({ w, clock, turn, run }: Position): number[] {
  if (turn === undefined) return [clock.hp, clock.hc, w, 0]
  const opener = [turn.hp, turn.hc, turn.w]
  return run === undefined ? [...opener, 1, clock.hp, clock.hc] : [...opener, 2, run.hp, run.hc, w, clock.hp, clock.hc]
}

function compareTuples(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return Math.sign(a[i]! - b[i]!)
  return Math.sign(a.length - b.length)
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

describe('the order of an entry', { timeout: patience }, () => {
  it('compares as text just as what it stands for', () => {
    holds(
      { quick: 10_000, full: 1_000_000 },
      fc.property(positions, positions, (a, b) => {
        expect(compareTexts(orderOf(a), orderOf(b))).toBe(compareTuples(tupleOf(a), tupleOf(b)))
      }),
    )
  })

  it('compares as an IndexedDB key just as a text', () => {
    holds(
      { quick: 2_000, full: 100_000 },
      fc.property(positions, positions, (a, b) => {
        expect(indexedDB.cmp(orderOf(a), orderOf(b))).toBe(compareTexts(orderOf(a), orderOf(b)))
      }),
    )
  })

  it('has 20, 32, 40 or 51 characters, all of one byte, between both ends', () => {
    holds(
      { quick: 2_000, full: 100_000 },
      fc.property(positions, (position) => {
        const order = orderOf(position)
        const { turn, run, clock } = position
        expect(order).toHaveLength(turn === undefined ? 20 : run === undefined ? 32 : isSame(run, clock) ? 40 : 51)
        expect(order).toMatch(/^[!-~]+$/)
        expect('' < order && order < orderEnd).toBe(true)
        expect(turnKey(order) <= order && order < turnEnd(order)).toBe(true)
      }),
    )
  })

  it('belongs to one entry only', () => {
    const counts = { orders: 0 }
    holds(
      { quick: 100, full: 10_000 },
      fc.property(schedules(), (schedule) => {
        const world = simulate(schedule)
        exchangeAll(world)
        const log = [...world.devices[0]!.log.values()]
        expect(new Set(log.map(({ order }) => order)).size).toBe(log.length)
        counts.orders += log.length
      }),
    )
    report('order unique', counts)
  })
})
