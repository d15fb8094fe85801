import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goLower, goNormal, goTrim } from '../../../src/domain/identity/go-text.ts'
import { texts } from './picoclaw-vectors.json'
import { lowerTable } from './support/lower-table.ts'
import { anyText, goSpaces } from './support/texts.ts'

/** Every character there is, without lone surrogates. */
function* characters(): Generator<string> {
  for (let point = 0; point <= 0x10ffff; point++)
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point)
}

describe('goLower', () => {
  it.each(texts)('gives what PicoClaw gave for %j', (text = '', lower) => expect(goLower(text)).toBe(lower))

  it('lowers every character as the Unicode tables of Go do', () => {
    expect([...lowerTable].filter(([capital, lower]) => goLower(capital) !== lower)).toEqual([])
  })

  it('differs from JavaScript, character by character, at U+0130 only', () => {
    expect([...characters()].filter((one) => goLower(one) !== one.toLowerCase())).toEqual(['\u0130'])
    expect(['\u0130'.toLowerCase(), goLower('\u0130')]).toEqual(['i\u0307', 'i'])
  })

  it('does not look around a capital sigma', () => {
    expect(['ΟΔΟΣ'.toLowerCase(), goLower('ΟΔΟΣ'), goLower('ΑΣ Σ')]).toEqual(['οδος', 'οδοσ', 'ασ σ'])
  })

  it('replaces what is no character', () => {
    expect(goLower('A\ud800B\udc00')).toBe('a\ufffdb\ufffd')
  })

  it('lowers a text character by character, and once for all', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(goLower(text)).toBe([...text].map((one) => lowerTable.get(one) ?? one.toLowerCase()).join(''))
        expect(goLower(goLower(text))).toBe(goLower(text))
      }),
    )
  })
})

describe('goTrim', () => {
  it.each(texts)('gives what PicoClaw gave for %j', (text = '', _, trimmed) => expect(goTrim(text)).toBe(trimmed))

  it('takes off the white space of Go, and no other character', () => {
    expect([...characters()].filter((one) => goTrim(one) === '')).toEqual(goSpaces)
  })

  it('differs from JavaScript at U+0085 and U+FEFF only', () => {
    expect([...characters()].filter((one) => goTrim(one) !== one.trim())).toEqual(['\u0085', '\ufeff'])
  })

  it('leaves white space inside, and what was cut is white space only', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const trimmed = goTrim(text)
        const around = text.split(trimmed === '' ? text : trimmed)
        expect(text).toContain(trimmed)
        expect([trimmed.at(0), trimmed.at(-1)].some((end) => end !== undefined && goSpaces.includes(end))).toBe(false)
        if (trimmed !== '') expect(goSpaces).toEqual(expect.arrayContaining([...(around[0] as string)]))
      }),
    )
    expect(goTrim(' a \u3000 b ')).toBe('a \u3000 b')
  })

  it('takes a long run of white space inside in its stride', () => {
    const text = `a${' '.repeat(1_000_000)}b`
    expect(goTrim(text)).toBe(text)
  })
})

describe('goNormal', () => {
  it('is the same whichever comes first, lower case or trimming', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(goNormal(text)).toBe(goLower(goTrim(text)))
      }),
    )
  })
})
