import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { clockLimit } from '../../src/domain/clock.ts'
import { entryChecksum, sealEntry } from '../../src/domain/seal.ts'
import { readWireEntry, toWireEntry } from '../../src/sync/wire-entry.ts'

const safe = fc.maxSafeNat()
const clock = fc.record({
  hp: fc.oneof(
    fc.constantFrom(0, 127, 128 ** 6 - 1, 128 ** 6, clockLimit - 1),
    fc.nat(),
    fc.constant(1_795_357_151_805),
  ),
  hc: fc.nat(2 ** 18 - 1),
})
const data = fc.oneof(
  fc.record({ message: fc.record({ role: fc.constantFrom('user', 'tool'), content: fc.string() }) }),
  fc.record({ message: fc.record({ role: fc.constant('user') }), mid: fc.string() }),
  fc.record({ message: fc.constant(null) }),
  fc.dictionary(fc.constantFrom('set', 'vv', 'order', 'deep'), fc.jsonValue()),
)
const entry: fc.Arbitrary<Entry> = fc
  .record({
    w: safe,
    s: fc.nat(),
    data,
    clock,
    type: fc.oneof(fc.constantFrom('message', 'purge', 'meta'), fc.string({ unit: 'grapheme', minLength: 1 })),
    at: fc.oneof(
      fc.integer(),
      fc.constantFrom(0, 0.5, -1.25, 1e300, Number.MAX_SAFE_INTEGER),
      fc.constant(1_795_357_151_801),
    ),
    branch: fc.oneof(
      fc.constant(''),
      fc.tuple(safe, safe).map(([w, s]) => `${w.toString(36)}.${s.toString(36)}`),
    ),
    turn: fc.option(fc.record({ back: fc.nat(2 ** 20), hc: fc.nat(2 ** 18 - 1), s: safe, w: safe }), {
      nil: undefined,
    }),
    run: fc.option(fc.record({ back: fc.nat(2 ** 20), hc: fc.nat(2 ** 18 - 1) }), { nil: undefined }),
  })
  .map(({ turn, run, ...rest }) => {
    const { hp } = rest.clock
    if (turn === undefined) return sealEntry(rest as never)
    const begun = { hp: Math.max(0, hp - turn.back), hc: turn.hc }
    if (run === undefined) return sealEntry({ ...rest, turn: { ...begun, w: rest.w, s: turn.s % 2 ** 31 } } as never)
    return sealEntry({
      ...rest,
      turn: { ...begun, w: turn.w, s: turn.s },
      run: { hp: Math.max(0, hp - run.back), hc: run.hc },
    } as never)
  })

describe('an entry as it travels', () => {
  it('is read as it was written, whatever it is', () => {
    fc.assert(
      fc.property(
        entry,
        (one) => void expect(readWireEntry(one.w, one.s, structuredClone(toWireEntry(one)))).toEqual(one),
      ),
      { numRuns: 1000 },
    )
  })

  it('has no checksum in what tells by itself when it was changed, and is read as it was written all the same', () => {
    fc.assert(
      fc.property(entry, (one) => {
        const guarded = toWireEntry(one, entryChecksum)
        expect(guarded[0].length).toBe(toWireEntry(one)[0].length - 5)
        expect(readWireEntry(one.w, one.s, structuredClone(guarded), entryChecksum)).toEqual(one)
        expect(readWireEntry(one.w, one.s, guarded)).toBe('it has no checksum')
      }),
      { numRuns: 1000 },
    )
  })

  it('that was damaged where it was stored keeps the checksum that says so', () => {
    fc.assert(
      fc.property(entry, fc.nat(2 ** 32 - 1), (one, crc) => {
        const damaged = { ...one, crc }
        expect(readWireEntry(one.w, one.s, toWireEntry(damaged, entryChecksum), entryChecksum)).toEqual(damaged)
      }),
    )
  })

  it('is written in one way only', () => {
    const replaced = fc.tuple(entry, fc.nat(), fc.nat(127), fc.constantFrom('put in', 'put over', 'taken out'))
    fc.assert(
      fc.property(replaced, ([one, place, code, how]) => {
        const [head, content] = toWireEntry(one)
        const at = place % head.length
        const other =
          head.slice(0, at) +
          (how === 'taken out' ? '' : String.fromCharCode(code)) +
          head.slice(how === 'put in' ? at : at + 1)
        const read = readWireEntry(one.w, one.s, [other, content])
        if (typeof read !== 'string') expect(toWireEntry(read)).toEqual([other, content])
        const guarded = readWireEntry(one.w, one.s, [other, content], entryChecksum)
        // A checksum that is there without need is for the sealed element to tell, which is held against its own.
        if (typeof guarded !== 'string' && toWireEntry(guarded, entryChecksum)[0].length >= other.length)
          expect(toWireEntry(guarded, entryChecksum)).toEqual([other, content])
      }),
      { numRuns: 2000 },
    )
  })

  it('costs next to nothing beside a message that is said, and one that answers it', () => {
    const hp = 1_795_357_151_805
    const question = sealEntry({
      w: 4_079_229_706_709_242,
      s: 6,
      branch: '',
      type: 'message',
      data: { message: { role: 'user', content: '?' } },
      at: hp - 2,
      clock: { hp, hc: 0 },
    })
    const answer = sealEntry({
      ...question,
      s: 7,
      at: hp + 3000,
      clock: { hp: hp + 3000, hc: 0 },
      turn: { hp, hc: 0, w: question.w, s: 6 },
    })
    expect([question, answer].map((one) => toWireEntry(one)[0].length)).toEqual([15, 19])
  })
})
