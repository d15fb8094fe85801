import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32 } from '../../src/domain/crc32.ts'

const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
  ),
  size: 'large',
})

describe('crc32', () => {
  it.each([
    ['', 0],
    ['a', 0xe8b7be43],
    ['123456789', 0xcbf43926],
    ['The quick brown fox jumps over the lazy dog', 0x414fa339],
    ['中文 🎉', 0x3e3fcc10],
  ])('of %j is %i', (text, crc) => {
    expect(crc32(text)).toBe(crc)
  })

  it('agrees with zlib on every code point', () => {
    let all = ''
    for (let point = 0; point <= 0x10ffff; point++)
      if (point < 0xd800 || point > 0xdfff) all += String.fromCodePoint(point)
    expect(crc32(all)).toBe(zlibCrc32(all))
  })

  it('agrees with zlib on any text, also with lone surrogates', () => {
    fc.assert(fc.property(anyText, (text) => crc32(text) === zlibCrc32(text)))
  })

  it('agrees with zlib on texts longer than its scratch space, wherever a character is cut', () => {
    for (let lead = 0; lead < 9; lead++) {
      const text = 'x'.repeat(lead) + 'é中🎉'.repeat(8000)
      expect(crc32(text)).toBe(zlibCrc32(text))
    }
  })

  it('finds any single changed bit of a character', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat(6), (text, position, bit) => {
        const at = position % text.length
        const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1)
        return crc32(changed) !== crc32(text)
      }),
    )
  })
})
