import { afterEach, expect, it, vi } from 'vitest'
import { checksumUtf8, crcOfBytes } from '../../src/domain/crc32.ts'
import { utf8Length } from '../../src/domain/utf8.ts'

afterEach(() => void vi.restoreAllMocks())

it('gives an encoder no more of a long text than it can take, because browsers copy all of it each time', () => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encodeInto')
  const text = 'a word '.repeat(200_000)
  checksumUtf8(text)
  utf8Length(text)
  const given = encode.mock.calls.reduce((sum, [piece]) => sum + piece!.length, 0)
  expect(given).toBe(2 * text.length)
})

it('parts no surrogate pair, wherever a piece ends', () => {
  for (const start of ['', 'a', 'ab', '会', '\ud800']) {
    const text = start + '😀会a'.repeat(20_000)
    const bytes = Buffer.from(text, 'utf8')
    expect(checksumUtf8(text).bytes).toBe(bytes.length)
    expect(utf8Length(text)).toBe(bytes.length)
    expect(checksumUtf8(text).crc).toBe(crcOfBytes(bytes))
  }
})
