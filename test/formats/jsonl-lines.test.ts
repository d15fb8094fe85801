import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSessionError } from '../../src/contract/errors.ts'
import type { JsonlLine } from '../../src/formats/jsonl-lines.ts'
import { createLineSplitter, lineLimit, readLines } from '../../src/formats/jsonl-lines.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function split(chunks: readonly Uint8Array[], limit?: number): JsonlLine[] {
  const splitter = createLineSplitter(limit)
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

const textsOf = (lines: readonly JsonlLine[]): string[] => lines.map(({ text }) => text)

describe('lines of a file', () => {
  it('have a number and the place of their first byte', () => {
    const lines = split([encode('ä\n\nb')])
    expect(lines.map(({ number, offset, bytes, text }) => [number, offset, bytes, text])).toEqual([
      [1, 0, 2, 'ä'],
      [2, 3, 0, ''],
      [3, 4, 1, 'b'],
    ])
  })

  it('end in LF or CRLF, and the last one in nothing if it likes', () => {
    expect(textsOf(split([encode('a\r\nb\nc')]))).toEqual(['a', 'b', 'c'])
    expect(split([encode('a\nb')]).map(({ isTerminated }) => isTerminated)).toEqual([true, false])
    expect(textsOf(split([encode('a\n')]))).toEqual(['a'])
    expect(split([])).toEqual([])
  })

  it('may begin with a byte order mark', () => {
    expect(textsOf(split([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf, 0x61, 0x0a)]))).toEqual(['a'])
  })

  it('have U+FFFD for what is not UTF-8', () => {
    expect(textsOf(split([Uint8Array.of(0x61, 0xc3, 0x0a, 0xff, 0x62)]))).toEqual(['a\ufffd', '\ufffdb'])
  })

  it('keep characters that come in two pieces', () => {
    const bytes = encode('😀\n')
    expect(textsOf(split([bytes.subarray(0, 2), bytes.subarray(2)]))).toEqual(['😀'])
  })

  it('are the same however the bytes come in', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '{"a":1}', 'ä😀', '\ufeff', 'x'.repeat(40)).map(encode),
      fc.uint8Array({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.array(fc.nat(200), { maxLength: 10 }),
        fc.constantFrom(10, 39, 1000),
        (pieces, cuts, limit) => {
          const whole = Uint8Array.from(pieces.flatMap((part) => [...part]))
          const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
          const chunks = at.slice(1).map((to, i) => whole.subarray(at[i], to))
          expect(split(chunks, limit)).toEqual(split([whole], limit))
        },
      ),
    )
  })

  it('do not change when the source fills its buffer anew', () => {
    const splitter = createLineSplitter()
    const buffer = encode('ab')
    splitter.push(buffer)
    buffer.fill(0x78)
    expect(textsOf(splitter.push(encode('\n')))).toEqual(['ab'])
  })

  it('over the limit are not kept, and the next one is read', () => {
    const lines = split([encode('abc\ndefg\nhi')], 3)
    expect(lines.map(({ text, bytes, isTooLong }) => [text, bytes, isTooLong])).toEqual([
      ['abc', 3, false],
      ['def', 4, true],
      ['hi', 2, false],
    ])
  })

  it('cost no more memory than the limit', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(0x61)
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 200; i++) yield piece
      yield encode('\nend\n')
    }
    let most = 0
    const before = process.memoryUsage().arrayBuffers
    const lines: JsonlLine[] = []
    for await (const batch of readLines(source())) {
      lines.push(...batch.lines)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(lines.map(({ bytes, isTooLong, text }) => [bytes, isTooLong, text.length])).toEqual([
      [200 * piece.length, true, 1024],
      [3, false, 3],
    ])
    expect(most).toBeLessThan(4 * lineLimit)
  })
})

describe('the source of lines', () => {
  it.each([
    ['a stream', () => new Blob(['a\nb\n']).stream()],
    [
      'a list of pieces',
      async function* () {
        yield* [encode('a\n'), encode('b\n')]
      },
    ],
  ])('may be %s', async (_, open) => {
    const lines: string[] = []
    let read = 0
    for await (const batch of readLines(open())) {
      lines.push(...textsOf(batch.lines))
      read = batch.readBytes
    }
    expect(lines).toEqual(['a', 'b'])
    expect(read).toBe(4)
  })

  it('is let go when the reader has enough', async () => {
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encode('a\n')),
      cancel: () => void (isCancelled = true),
    })
    for await (const _ of readLines(stream)) break
    expect(isCancelled).toBe(true)
  })

  it('is let go by the signal, even while it gives nothing', async () => {
    let isCancelled = false
    const ending = new AbortController()
    const stream = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) })
    const reading = drain(readLines(stream, ending.signal))
    setTimeout(() => ending.abort())
    const error: unknown = await reading.catch((caught: unknown) => caught)
    expect(isSessionError(error, 'Aborted')).toBe(true)
    expect(isCancelled).toBe(true)
  })

  it('that fails is an input that could not be read', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield encode('a\n')
      throw new DOMException('The file has changed.', 'NotReadableError')
    }
    const error: unknown = await drain(readLines(source())).catch((caught: unknown) => caught)
    expect(isSessionError(error, 'InvalidInput')).toBe(true)
    expect((error as Error).message).toContain('beyond byte 2: The file has changed.')
  })

  it('must give bytes', async () => {
    const texts = new Response('x').body!.pipeThrough(new TextDecoderStream()) as unknown as ReadableStream<Uint8Array>
    await expect(drain(readLines(texts))).rejects.toThrow(TypeError)
  })
})

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}
