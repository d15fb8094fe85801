import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  behindRanges,
  covers,
  includesVector,
  inRanges,
  joinRanges,
  joinVectors,
  rangesBetween,
  rangesOf,
  withoutRanges,
} from '../../src/domain/version-vector.ts'

const vectors = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(5))
const addresses = fc.array(fc.record({ w: fc.integer({ min: 10, max: 12 }), s: fc.nat(9) }), { maxLength: 20 })

/** Every address there is in these tests. */
const all = [10, 11, 12].flatMap((w) => Array.from({ length: 10 }, (_, s) => ({ w, s })))

describe('a joined vector', () => {
  it('covers what either covers', () => {
    fc.assert(
      fc.property(vectors, vectors, (a, b) =>
        all.every(({ w, s }) => covers(joinVectors(a, b), w, s) === (covers(a, w, s) || covers(b, w, s))),
      ),
    )
  })

  it('is the least that includes both', () => {
    fc.assert(
      fc.property(vectors, vectors, vectors, (a, b, c) => {
        const joined = joinVectors(a, b)
        return (
          includesVector(joined, a) &&
          includesVector(joined, b) &&
          includesVector(c, joined) === (includesVector(c, a) && includesVector(c, b))
        )
      }),
    )
  })
})

describe('ranges of addresses', () => {
  it('hold just these', () => {
    fc.assert(
      fc.property(addresses, (list) =>
        all.every(({ w, s }) => inRanges(rangesOf(list), w, s) === list.some((one) => one.w === w && one.s === s)),
      ),
    )
  })

  it('hold what either held, sorted, apart and the same in any order, once joined', () => {
    fc.assert(
      fc.property(addresses, addresses, (a, b) => {
        const joined = joinRanges(rangesOf(a), rangesOf(b))
        expect(joined).toEqual(rangesOf([...b, ...a]))
        for (const ranges of Object.values(joined))
          ranges.forEach(([from, to], i) => expect(from < to && (i === 0 || ranges[i - 1]![1] < from)).toBe(true))
      }),
    )
  })

  it('tell where they end', () => {
    fc.assert(
      fc.property(addresses, fc.constantFrom(...all), (list, { w, s }) => {
        const at = behindRanges(rangesOf(list), w, s)
        expect([at >= s, inRanges(rangesOf(list), w, at)]).toEqual([true, false])
        for (let between = s; between < at; between++) expect(inRanges(rangesOf(list), w, between)).toBe(true)
      }),
    )
  })

  it('lie between addresses, up to what a vector counts, but for what others hold', () => {
    fc.assert(
      fc.property(addresses, addresses, vectors, (list, others, counts) => {
        const gaps = withoutRanges(rangesBetween(counts, list), rangesOf(others))
        for (const { w, s } of all) {
          const isGap =
            s < (counts[w.toString(36)] ?? 0) && ![...list, ...others].some((one) => one.w === w && one.s === s)
          expect(inRanges(gaps, w, s)).toBe(isGap)
        }
      }),
    )
  })

  it('are as quick where a count is as large as it can be', () => {
    const counts = { a: Number.MAX_SAFE_INTEGER }
    const gaps = rangesBetween(counts, [{ w: 10, s: 5 }])
    expect(gaps).toEqual({
      a: [
        [0, 5],
        [6, Number.MAX_SAFE_INTEGER],
      ],
    })
    expect(behindRanges(gaps, 10, 6)).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('pass over empty ones', () => {
    expect(
      joinRanges(
        {},
        {
          a: [
            [3, 3],
            [5, 4],
          ],
        },
      ),
    ).toEqual({ a: [] })
  })
})
