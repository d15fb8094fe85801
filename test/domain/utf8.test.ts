import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceLoneSurrogates, toWellFormed } from '../../src/domain/to-well-formed.ts'
import { jsonStringBytes, utf8Length } from '../../src/domain/utf8.ts'

const encoded = (text: string): number => new TextEncoder().encode(text).length
/** Any code units, so with lone surrogates, pairs and pairs the wrong way round. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    fc.integer({ min: 0xd7fe, max: 0xe001 }).map((unit) => String.fromCharCode(unit)),
  ),
})

const everyUnit = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))

describe('utf8Length', () => {
  it('counts each code unit as an encoder does', () => {
    expect(everyUnit.filter((unit) => utf8Length(unit) !== encoded(unit))).toEqual([])
  })

  it('counts any text as an encoder does', () => {
    fc.assert(fc.property(anyText, (text) => utf8Length(text) === encoded(text)))
  })
})

describe('jsonStringBytes', () => {
  it('counts each code unit as JSON writes it', () => {
    expect(everyUnit.filter((unit) => jsonStringBytes(unit) !== encoded(JSON.stringify(unit)))).toEqual([])
  })

  it('counts any text as JSON writes it', () => {
    fc.assert(fc.property(anyText, (text) => jsonStringBytes(text) === encoded(JSON.stringify(text))))
  })
})

describe.each([
  ['toWellFormed', toWellFormed],
  ['its fallback', replaceLoneSurrogates],
])('%s', (_, repair) => {
  it('replaces lone surrogates by U+FFFD, however they stand', () => {
    expect(repair('a\ud83db\ude00\ude00\ud83d')).toBe('a\ufffdb\ufffd\ufffd\ufffd')
  })

  it('leaves well-formed text alone', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => repair(text) === text))
  })

  it('gives what an encoder and decoder give', () => {
    fc.assert(
      fc.property(
        anyText,
        (text) => repair(text) === new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text)),
      ),
    )
  })
})
