import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { importPi } from '../../src/dialects/pi/format/import-pi.ts'
import { createImportFixture } from './support/import-fixture.ts'
import {
  assistant,
  bytesOf,
  entry,
  header,
  idAt,
  inPieces,
  linear,
  sourceKey,
  textOf,
  user,
} from './support/pi-file.ts'

vi.setConfig({ testTimeout: 30_000 })

describe('a line that can not be taken', () => {
  const [one, two, three, four, five] = linear(5)
  const torn = (line: object): string => JSON.stringify(line).slice(0, -20)

  it.each<[string, string, RegExp]>([
    ['is torn', torn(three!), /not JSON/],
    ['is garbage', '\ufffd\ufffd{{{', /not JSON/],
    ['is a number', '42', /contains a number/],
    ['is null', 'null', /contains null/],
    ['is a list', '[]', /contains a list/],
    ['has no type', '{"id":"x","parentId":"y"}', /no type/],
    ['begins another session', JSON.stringify(header({ id: 'other' })), /another session/],
    ['is a message without one', JSON.stringify({ ...three, message: null }), /message has no role/],
    ['is a message without role', JSON.stringify({ ...three, message: { content: 'x' } }), /message has no role/],
    [
      'is too deep',
      `{"type":"custom","id":"${idAt(3)}","parentId":"${idAt(2)}","data":${'['.repeat(300)}${']'.repeat(300)}}`,
      /levels deep/,
    ],
    [
      'could poison an object',
      `{"type":"custom","id":"${idAt(3)}","parentId":"${idAt(2)}","data":{"__proto__":{"x":1}}}`,
      /__proto__/,
    ],
  ])('because it %s costs itself only', async (_, line, reason) => {
    const { run, ids, store } = createImportFixture()
    const report = await run([header(), one!, two!, line, four!, five!])
    expect(report).toEqual({
      keys: [sourceKey],
      added: 4,
      known: 0,
      skipped: [{ line: 4, reason: expect.stringMatching(reason) }],
      skippedCount: 1,
      leftDeleted: [],
    })
    expect(await ids()).toEqual([idAt(1), idAt(2), idAt(4), idAt(5)])
    expect(await store.listBranches(sourceKey)).toHaveLength(1)
  })

  it('because it is too long costs itself only', async () => {
    const { run, ids } = createImportFixture()
    const report = await run([header(), one!, two!, assistant(3, 2, 'x'.repeat(17 * 1024 * 1024)), four!, five!])
    expect(report).toMatchObject({
      added: 4,
      skipped: [{ line: 4, reason: expect.stringMatching(/has 178\d+ bytes/) }],
    })
    expect(await ids()).toEqual([idAt(1), idAt(2), idAt(4), idAt(5)])
  })

  it('at the end of the file is torn, and comes in when it is whole', async () => {
    const { run, ids } = createImportFixture()
    const text = textOf([header(), one!, two!, three!])
    expect(await run(text.slice(0, -30))).toMatchObject({
      added: 2,
      skipped: [{ line: 4, reason: expect.stringContaining('is incomplete') }],
    })
    expect(await run(text.slice(0, -1))).toMatchObject({ added: 1, known: 2, skippedCount: 0 })
    expect(await ids()).toEqual([idAt(1), idAt(2), idAt(3)])
  })

  it('leaves its branch where it was', async () => {
    const { run, ids } = createImportFixture()
    // 3 and 4 hang from 1; 4 is torn, so 5 hangs from 1 now, beside 2.
    await run([header(), user(1, null), assistant(2, 1), assistant(3, 1), torn(user(4, 1)), assistant(5, 4)])
    expect(await ids('raw')).toEqual([idAt(1), idAt(5)])
  })

  it('may be the first one', async () => {
    const { run, ids } = createImportFixture()
    await run([header(), torn(one!), two!, three!])
    expect(await ids()).toEqual([idAt(2), idAt(3)])
  })

  it('may have run into the next one', async () => {
    const { run, ids } = createImportFixture()
    await run([header(), one!, `${torn(two!)}${JSON.stringify(three)}`, four!, five!])
    expect(await ids()).toEqual([idAt(1), idAt(4), idAt(5)])
  })

  it('hands on what a compaction kept', async () => {
    const { run, ids } = createImportFixture()
    await run([
      header(),
      one!,
      two!,
      torn(three!),
      four!,
      entry(6, 4, 'compaction', { summary: 's', firstKeptEntryId: idAt(3) }),
      user(7, 6),
    ])
    expect(await ids('context')).toEqual([idAt(4), idAt(7)])
  })

  it('is listed up to the thousandth, and counted beyond', async () => {
    const { run } = createImportFixture()
    const report = await run([header(), ...Array.from({ length: 1500 }, () => '{')])
    expect(report.skipped).toHaveLength(1000)
    expect(report).toMatchObject({ added: 0, skippedCount: 1500, keys: [sourceKey] })
  })
})

describe('how the bytes are written', () => {
  const file = [header(), ...linear(6)]

  it.each<[string, (text: string) => string]>([
    ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text) => `\ufeff${text}`],
    ['with blank lines', (text) => text.replaceAll('\n', '\n\n  \n')],
    ['without a last line break', (text) => text.trimEnd()],
  ])('makes no difference: %s', async (_, change) => {
    const plain = createImportFixture()
    const changed = createImportFixture()
    await plain.run(file)
    expect(await changed.run(change(textOf(file)))).toMatchObject({ added: 6, skippedCount: 0 })
    expect(await changed.line('raw')).toEqual(await plain.line('raw'))
  })

  it('has U+FFFD where it is not UTF-8, and no lone surrogates', async () => {
    const { run, line } = createImportFixture()
    const bytes = bytesOf([header(), user(1, null, 'a#b'), user(2, 1, '\ud83d')])
    bytes[bytes.indexOf(0x23)] = 0xff
    expect(await run(bytes)).toMatchObject({ added: 2, skippedCount: 0 })
    expect((await line()).map(({ message }) => message?.content)).toEqual(['a\ufffdb', '\ufffd'])
  })

  it('is the same in any pieces', async () => {
    const bytes = bytesOf([
      header(),
      ...linear(5),
      '{"torn',
      '',
      user(6, 5, 'ä😀'),
      entry(7, 6, 'session_info', { name: 'Ü' }),
    ])
    const whole = createImportFixture()
    const report = await whole.run(bytes)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (size) => {
        const fixture = createImportFixture()
        expect(await importPi(fixture.store, inPieces(bytes, size))).toEqual(report)
        expect(await fixture.store.changes(sourceKey)).toEqual(await whole.store.changes(sourceKey))
      }),
      { numRuns: 40 },
    )
  })

  it('may be anything: it is imported or refused, never worse', async () => {
    const words = fc.constantFrom(
      '\n',
      '{',
      '}',
      '"',
      ':',
      ',',
      'null',
      '"type"',
      '"session"',
      '"id"',
      '"parentId"',
      '"message"',
      '[',
      ']',
      '1',
      JSON.stringify(header()),
      ...linear(3).map((line) => JSON.stringify(line)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 60 }), async (parts) => {
        const { store, run } = createImportFixture()
        await run(parts.join('')).catch((error: Error) => expect(error).toMatchObject({ name: 'InvalidInput' }))
        expect((await store.verify()).problems).toEqual([])
      }),
    )
  })
})
