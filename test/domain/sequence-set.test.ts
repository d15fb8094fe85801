import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHashTable } from '../../src/domain/hash-table.ts'
import { createSequenceSet } from '../../src/domain/sequence-set.ts'
import { inRanges, rangesBetween, rangesOf } from '../../src/domain/version-vector.ts'

const address = fc.record({
  w: fc.constantFrom(1, 35, 2 ** 52),
  s: fc.oneof(fc.nat(40), fc.nat(5000), fc.constantFrom(1023, 1024, 2 ** 52)),
})
const addresses = fc.array(address, { maxLength: 200 })
const vector = fc.dictionary(
  fc.constantFrom('1', 'z', (2 ** 52).toString(36), 'other'),
  fc.oneof(fc.nat(60), fc.nat(6000), fc.constant(2 ** 53 - 1)),
)

it('knows which addresses it has, and which are missing, as lists of ranges do', () => {
  fc.assert(
    fc.property(addresses, vector, (list, known) => {
      const set = createSequenceSet()
      const seen = new Set<string>()
      for (const { w, s } of list) {
        expect(set.add(w, s)).toBe(!seen.has(`${w} ${s}`))
        seen.add(`${w} ${s}`)
      }
      expect(set.held()).toEqual(rangesOf(list))
      expect(set.missing(known)).toEqual(rangesBetween(known, list))
    }),
  )
})

it('finds an entry in ranges by halves as by looking at each', () => {
  fc.assert(
    fc.property(addresses, address, (list, { w, s }) => {
      const ranges = rangesOf(list)
      expect(inRanges(ranges, w, s)).toBe(list.some((one) => one.w === w && one.s === s))
    }),
  )
})

it('takes a bit for each of a million addresses', () => {
  const set = createSequenceSet()
  for (let s = 0; s < 1_000_000; s++) set.add(7, s)
  expect([set.held(), set.missing({ 7: 1_000_001 })]).toEqual([
    { 7: [[0, 1_000_000]] },
    { 7: [[1_000_000, 1_000_001]] },
  ])
})

it('keeps numbers by hash as a map does', () => {
  const hash = fc.oneof(fc.nat(3), fc.nat(5000), fc.constantFrom(1024, 2048, 2 ** 53 - 1, 2 ** 52))
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, fc.nat()), { maxLength: 3000 }), fc.array(hash), (writes, reads) => {
      const table = createHashTable()
      const map = new Map(writes)
      for (const [key, value] of writes) table.set(key, value)
      for (const key of [...map.keys(), ...reads]) expect(table.get(key)).toBe(map.get(key))
    }),
    { numRuns: 30 },
  )
})
