import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUuid7 } from '../../src/domain/uuid7.ts'

const filledWith = (byte: number) => (into: Uint8Array) => void into.fill(byte)

/** One id for each reading of the clock. */
function idsAt(readings: readonly number[], randomBytes: (into: Uint8Array) => void = filledWith(0)): string[] {
  let next = 0
  const uuid = createUuid7(() => readings[next++] as number, randomBytes)
  return readings.map(() => uuid())
}

const timeOf = (id: string | undefined): number => Number.parseInt((id ?? '').replace('-', '').slice(0, 12), 16)

describe('a UUID version 7', () => {
  it.each([
    ['zeros', 0x00, '017f22e2-79b0-7000-8000-000000000000'],
    ['ones', 0xff, '017f22e2-79b0-77ff-bfff-ffffffffffff'],
  ])('made of %s has time, version and variant where RFC 9562 puts them', (_, byte, id) => {
    expect(idsAt([0x017f22e279b0], filledWith(byte))).toEqual([id])
  })

  it.each([
    [0, '00000000-0000-'],
    [2 ** 48 - 1, 'ffffffff-ffff-'],
    [2 ** 60, 'ffffffff-ffff-'],
  ])('made at %d begins with %s', (ms, start) => {
    expect(idsAt([ms]).map((id) => id.slice(0, 14))).toEqual([start])
  })

  it('counts up within a millisecond, with fresh random bits after the counter', () => {
    let call = 0
    const ids = idsAt([1, 1, 1], (into) => void into.fill(call++ === 0 ? 0 : 0xff))
    expect(ids).toEqual(['00000000-0001-7000-8000-000000000000', '00000000-0001-7000-8000-07ffffffffff', '00000000-0001-7000-8000-0bffffffffff'])
  })

  it('carries the counter through all its fields', () => {
    const ids = idsAt([1, 1], (into) => void into.set([0x00, 0x1f, 0xff, 0xff, 0, 0, 0, 0, 0, 0]))
    expect(ids).toEqual(['00000000-0001-7000-bfff-fc0000000000', '00000000-0001-7001-8000-000000000000'])
  })

  it('keeps the latest time when the clock goes back', () => {
    expect(idsAt([1000, 400, 999, 1001]).map(timeOf)).toEqual([1000, 1000, 1000, 1001])
  })

  it('draws a new counter when the time moves on', () => {
    let call = 0
    const ids = idsAt([1, 2], (into) => void into.fill(call++ === 0 ? 0xff : 0))
    expect(ids[1]).toBe('00000000-0002-7000-8000-000000000000')
  })

  it('is made even by a clock that gives no time', () => {
    expect(idsAt([Number.NaN, Number.NaN])).toEqual(['00000000-0000-7000-8000-000000000000', '00000000-0000-7000-8000-040000000000'])
  })

  it('is well-formed and strictly greater than the one before, whatever clock and chance do', () => {
    const readings = fc.array(fc.oneof(fc.double({ min: 0, max: 2 ** 48 - 1, noNaN: true }), fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_003 })), { minLength: 2, maxLength: 50 })
    fc.assert(
      fc.property(readings, fc.infiniteStream(fc.nat(255)), (times, chance) => {
        const ids = idsAt(times, (into) => void into.forEach((_, i) => { into[i] = chance.next().value as number }))
        expect(ids.filter((id) => !/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toEqual([])
        expect([...new Set(ids)].sort()).toEqual(ids)
        expect(ids.map(timeOf)).toEqual(times.map((_, i) => Math.max(...times.slice(0, i + 1).map(Math.floor))))
      }),
    )
  })
})
