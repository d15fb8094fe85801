import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { covers, includesVector, inRanges, joinRanges, joinVectors, rangesOf } from '../../src/domain/version-vector.ts'

const vectors = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(5))
const addresses = fc.array(fc.record({ w: fc.integer({ min: 10, max: 12 }), s: fc.nat(9) }), { maxLength: 20 })

/** Every address there is in these tests. */
const all = [10, 11, 12].flatMap((w) => Array.from({ length: 10 }, (_, s) => ({ w, s })))

describe('a joined vector', () => {
  it('covers what either covers', () => {
    fc.assert(fc.property(vectors, vectors, (a, b) => all.every(({ w, s }) => covers(joinVectors(a, b), w, s) === (covers(a, w, s) || covers(b, w, s)))))
  })

  it('is the least that includes both', () => {
    fc.assert(
      fc.property(vectors, vectors, vectors, (a, b, c) => {
        const joined = joinVectors(a, b)
        return includesVector(joined, a) && includesVector(joined, b) && includesVector(c, joined) === (includesVector(c, a) && includesVector(c, b))
      }),
    )
  })
})

describe('ranges of addresses', () => {
  it('hold just these', () => {
    fc.assert(fc.property(addresses, (list) => all.every(({ w, s }) => inRanges(rangesOf(list), w, s) === list.some((one) => one.w === w && one.s === s))))
  })

  it('hold what either held, sorted, apart and the same in any order, once joined', () => {
    fc.assert(
      fc.property(addresses, addresses, (a, b) => {
        const joined = joinRanges(rangesOf(a), rangesOf(b))
        expect(joined).toEqual(rangesOf([...b, ...a]))
        for (const ranges of Object.values(joined)) ranges.forEach(([from, to], i) => expect(from < to && (i === 0 || ranges[i - 1]![1] < from)).toBe(true))
      }),
    )
  })

  it('pass over empty ones', () => {
    expect(joinRanges({}, { a: [[3, 3], [5, 4]] })).toEqual({ a: [] })
  })
})
