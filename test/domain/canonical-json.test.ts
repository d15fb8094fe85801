import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../src/contract/json.ts'
import { canonicalJson } from '../../src/domain/canonical-json.ts'

/** As it comes from storage: no `-0`, no `__proto__`, prototypes of plain objects. */
const json = fc
  .oneof(
    fc.jsonValue({ stringUnit: 'binary' }),
    fc.dictionary(fc.oneof(fc.string(), fc.nat(99).map(String)), fc.jsonValue(), { maxKeys: 40 }),
  )
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__":', '"proto":')) as JsonValue)

function withMembersReversed(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withMembersReversed)
  return Object.fromEntries(
    Object.entries(value as Record<string, JsonValue>)
      .reverse()
      .map(([key, member]) => [key, withMembersReversed(member)]),
  )
}

describe('canonicalJson', () => {
  it('writes the example of RFC 8785, section 3.2', () => {
    const input = JSON.parse(
      String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
    ) as JsonValue
    expect(canonicalJson(input)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('sorts keys by UTF-16 code units (RFC 8785, section 3.2.3)', () => {
    const input = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect(canonicalJson(input)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}')
  })

  it('sorts keys that are numbers as text', () => {
    expect(canonicalJson({ 10: 1, 9: 2, a: 3, 1: 4 })).toBe('{"1":4,"10":1,"9":2,"a":3}')
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s as %s (RFC 8785, appendix B)', (bits, text) => {
    const number = Buffer.from(bits, 'hex').readDoubleBE()
    expect(canonicalJson(number)).toBe(text)
  })

  it('leaves out undefined members', () => {
    expect(canonicalJson({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}')
  })

  it('writes the members of any object in code unit order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 60, size: 'max' }), (keys) => {
        const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))
        const written = [...keys].sort().map((key) => `${JSON.stringify(key)}:0`)
        expect(text).toBe(`{${written.join(',')}}`)
      }),
    )
  })

  it('reads back deep-equal', () => {
    fc.assert(fc.property(json, (value) => isDeepStrictEqual(JSON.parse(canonicalJson(value)), value)))
  })

  it('is the same whatever the order of members', () => {
    fc.assert(fc.property(json, (value) => canonicalJson(withMembersReversed(value)) === canonicalJson(value)))
  })

  it('is the same only for deep-equal values', () => {
    const close = fc
      .tuple(json, json)
      .chain(([a, b]) =>
        fc.tuple(
          fc.constantFrom<JsonValue>([a], [a, b], { a }, { a, b }, { a: b }),
          fc.constantFrom<JsonValue>([a], [a, b], { b, a }, { a }, [b, a]),
        ),
      )
    fc.assert(fc.property(close, ([a, b]) => (canonicalJson(a) === canonicalJson(b)) === isDeepStrictEqual(a, b)))
  })
})
