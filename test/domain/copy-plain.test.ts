import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copyPlainJson } from '../../src/domain/copy-plain.ts'
import { normaliseJson } from '../../src/domain/normalise.ts'

const anyJson = fc
  .jsonValue({ stringUnit: 'binary' })
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'))

/** A value with anything at one place of it. */
const withOddity = (odd: unknown): unknown => ({ role: 'user', content: [{ type: 'text', text: 'hello' }, { odd }] })

describe('copyPlainJson', () => {
  it('gives what normaliseJson gives', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(copyPlainJson(value)).toStrictEqual(normaliseJson(value).value)
      }),
      { numRuns: 500 },
    )
  })

  it('shares nothing with the input', () => {
    const input = { list: [{ a: 1 }] }
    const copy = copyPlainJson(input) as typeof input
    expect(copy).not.toBe(input)
    expect(copy.list).not.toBe(input.list)
    expect(copy.list[0]).not.toBe(input.list[0])
  })

  it.each([
    ['undefined members are dropped', { a: undefined, b: 1 }, { b: 1 }],
    ['-0 becomes 0', [-0], [0]],
    ['lone surrogates in texts become U+FFFD', ['a\ud83d'], ['a\ufffd']],
  ])('repairs what needs no looking: %s', (_, value, expected) => expect(copyPlainJson(value)).toStrictEqual(expected))

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  let deep: unknown = 1
  for (let i = 0; i < 100; i++) deep = [deep]
  const shared = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'x')
  it.each([
    ['functions', withOddity(() => 0)],
    ['symbols', withOddity(Symbol('s'))],
    ['BigInt', withOddity(1n)],
    ['NaN', withOddity(Number.NaN)],
    ['infinities', withOddity(-Infinity)],
    ['undefined', undefined],
    ['undefined in arrays', [undefined]],
    ['holes', [1, , 3]],
    ['Dates', withOddity(new Date(0))],
    ['Maps', withOddity(new Map())],
    [
      'instances of classes',
      withOddity(
        new (class Thing {
          a = 1
        })(),
      ),
    ],
    ['objects without a prototype', Object.create(null)],
    ['own __proto__ keys', JSON.parse('{"a": {"__proto__": 1}}')],
    [
      'own __proto__ keys that are undefined',
      Object.defineProperty({}, '__proto__', { value: undefined, enumerable: true }),
    ],
    ['lone surrogates in keys', { '\ud83d': 1 }],
    [
      'getters that throw',
      {
        get a(): never {
          throw new Error('no')
        },
      },
    ],
    ['cycles', cycle],
    ['what is too deep for it', deep],
    ['what is too large for it', 'x'.repeat(2_000_000)],
    ['what is shared a trillion times', shared],
  ])('leaves to normaliseJson: %s', (_, value) => expect(copyPlainJson(value)).toBeUndefined())
})
