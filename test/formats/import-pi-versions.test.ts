import { describe, expect, it, vi } from 'vitest'
import { labelsOf } from '../../src/domain/labels-of.ts'
import { createImportFixture } from './support/import-fixture.ts'
import { assistant, bare, entry, header, headerV1, idAt, linear, sourceKey, timeAt, user } from './support/pi-file.ts'

vi.setConfig({ testTimeout: 30_000 })

describe('a log of version 1', () => {
  it('is one line, each entry under the number of its line', async () => {
    const { run, ids, store } = createImportFixture()
    expect(await run([headerV1(), ...linear(4).map(bare)])).toMatchObject({ added: 4, skippedCount: 0 })
    expect(await ids()).toEqual(['line-2', 'line-3', 'line-4', 'line-5'])
    expect((await store.getMeta(sourceKey))?.custom).toEqual({
      pi: {
        timestamp: timeAt(0),
        cwd: '/home/mara/trains',
        provider: 'anthropic',
        modelId: 'claude',
        thinkingLevel: 'off',
      },
    })
  })

  it('counts the header where a compaction says what it keeps', async () => {
    const { run, ids, store } = createImportFixture()
    const compaction = bare(entry(5, 4, 'compaction', { summary: 'before', firstKeptEntryIndex: 3, tokensBefore: 9 }))
    await run([headerV1(), ...linear(4).map(bare), compaction, bare(user(6, 5))])
    expect(await ids('context')).toEqual(['line-4', 'line-5', 'line-7'])
    const [stored] = await store.findByMid(sourceKey, ['line-6'])
    expect(stored?.data).toMatchObject({ firstKeptEntryId: 'line-4', tokensBefore: 9 })
    expect(stored?.data).not.toHaveProperty('firstKeptEntryIndex')
  })

  it('keeps nothing when a compaction begins at the header', async () => {
    const { run, ids } = createImportFixture()
    await run([
      headerV1(),
      ...linear(2).map(bare),
      bare(entry(3, 2, 'compaction', { summary: 'all', firstKeptEntryIndex: 0 })),
      bare(user(4, 3)),
    ])
    expect(await ids('context')).toEqual(['line-5'])
  })

  it('counts as pi does: blank and broken lines are no entries', async () => {
    const { run, ids } = createImportFixture()
    const [one, two, three, four] = linear(4).map(bare)
    await run([
      headerV1(),
      one!,
      '',
      '{"type":"mess',
      two!,
      three!,
      bare(entry(5, 4, 'compaction', { summary: 'one', firstKeptEntryIndex: 2 })),
      four!,
    ])
    expect(await ids('context')).toEqual(['line-3', 'line-4', 'line-6'])
  })

  it('is the same session after pi has opened it and written it anew, and goes on', async () => {
    const { run, ids, store } = createImportFixture()
    await run([
      headerV1(),
      ...linear(4).map(bare),
      bare(entry(5, 4, 'compaction', { summary: 'before', firstKeptEntryIndex: 3 })),
    ])
    const migrated = [
      header(),
      ...linear(4),
      entry(5, 4, 'compaction', { summary: 'before', firstKeptEntryId: idAt(3) }),
      user(6, 5),
      assistant(7, 6),
    ]
    expect(await run(migrated)).toMatchObject({ added: 2, known: 5 })
    expect(await ids()).toEqual(['line-2', 'line-3', 'line-4', 'line-5', idAt(6), idAt(7)])
    expect(await ids('context')).toEqual(['line-4', 'line-5', idAt(6), idAt(7)])
    expect(await run(migrated)).toMatchObject({ added: 0, known: 7 })
    expect(await store.listBranches(sourceKey)).toHaveLength(1)
  })

  it('has the labels that pi gave its entries since', async () => {
    const { run, line } = createImportFixture()
    await run([headerV1(), ...linear(4).map(bare)])
    await run([header(), ...linear(4), entry(5, 4, 'label', { targetId: idAt(2), label: 'here' })])
    const rows = await line('raw')
    expect([...labelsOf(rows)].map(([id, label]) => [rows.find((row) => row.id === id)?.mid, label])).toEqual([
      ['line-3', 'here'],
    ])
  })
})

describe('a log of version 2', () => {
  it('has its hook messages as custom ones', async () => {
    const { run, line } = createImportFixture()
    await run([
      header({ version: 2 }),
      entry(1, null, 'message', { message: { role: 'hookMessage', customType: 'hook', content: 'x', display: true } }),
    ])
    expect((await line())[0]?.message).toEqual({ role: 'custom', customType: 'hook', content: 'x', display: true })
  })
})

describe('a log of version 3', () => {
  it('may hold entries of version 1, as forks did', async () => {
    const { run, ids } = createImportFixture()
    await run([header(), ...linear(2).map(bare), user(3, null), assistant(4, 3)])
    expect(await ids()).toEqual([idAt(3), idAt(4)])
    expect(await ids('transcript', '')).toEqual(['line-2', 'line-3'])
  })

  it('may have several roots, and entries whose parent is missing', async () => {
    const { run, ids, store } = createImportFixture()
    await run([header(), user(1, null), user(2, null), user(3, 77), user(4, 4)])
    const branches = await store.listBranches(sourceKey)
    expect(await Promise.all(branches.map(({ id }) => ids('raw', id)))).toEqual([
      [idAt(1)],
      [idAt(2)],
      [idAt(3)],
      [idAt(4)],
    ])
  })

  it('may name parents that come later, and go in circles', async () => {
    const { run, ids, store } = createImportFixture()
    await run([header(), user(1, 2), user(2, null), user(3, 4), user(4, 3)])
    const branches = await store.listBranches(sourceKey)
    expect(await Promise.all(branches.map(({ id }) => ids('raw', id)))).toEqual([
      [idAt(2), idAt(1)],
      [idAt(3), idAt(4)],
    ])
  })

  it('counts the last of several entries with one id, at the place of the first', async () => {
    const { run, line } = createImportFixture()
    const report = await run([header(), user(1, null), user(2, 1, 'first'), user(3, 2), user(2, 1, 'second')])
    expect(report).toMatchObject({
      added: 3,
      skipped: [{ line: 3, reason: `its id "${idAt(2)}" is used again in line 5, which counts` }],
    })
    expect((await line('transcript', '')).map(({ message }) => message?.content)).toEqual([
      'question 1',
      'second',
      'question 3',
    ])
  })
})

describe('a file that is no session log', () => {
  it.each<[string, string, RegExp]>([
    ['is empty', '', /contains no JSON/],
    ['is blank', '\n\n \n', /contains no JSON/],
    ['is text', 'Dear diary,\ntoday', /contains no JSON/],
    ['is a list', '[{"mapping":{}}]', /contains a list/],
    ['is a number', '42\n{"type":"session","id":"x"}', /contains 42/],
    ['begins with something else', '{"type":"user","uuid":"x"}', /an object of type "user"/],
    ['begins with an object', '{"b":1,"c":2}', /an object with b, c/],
    ['has no id', '{"type":"session"}', /id of its session is missing/],
    ['has a strange id', '{"type":"session","id":7}', /id of its session is 7/],
    ['has a blank id', '{"type":"session","id":" "}', /id of its session is " "/],
  ])('because it %s is refused, and says what was found', async (_, text, reason) => {
    const { run, store } = createImportFixture()
    await expect(run(text)).rejects.toMatchObject({ name: 'InvalidInput', message: expect.stringMatching(reason) })
    expect((await store.listSessions()).total).toBe(0)
  })

  it('is given up early', async () => {
    const { store } = createImportFixture()
    let pieces = 0
    async function* film(): AsyncGenerator<Uint8Array> {
      for (; ; pieces++) yield new Uint8Array(1024 * 1024).fill(1)
    }
    const { importPi } = await import('../../src/dialects/pi/format/import-pi.ts')
    await expect(importPi(store, film())).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(pieces).toBeLessThan(20)
  })

  it('of a newer version is left to newer code', async () => {
    await expect(createImportFixture().run([header({ version: 4 })])).rejects.toMatchObject({ name: 'VersionConflict' })
  })
})
