import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { isSessionError } from '../../src/contract/errors.ts'
import type { JobProgress } from '../../src/contract/job.ts'
import { importPi } from '../../src/dialects/pi/format/import-pi.ts'
import { createImportFixture } from './support/import-fixture.ts'
import {
  assistant,
  bare,
  bytesOf,
  entry,
  header,
  headerV1,
  idAt,
  inPieces,
  linear,
  msAt,
  sourceId,
  sourceKey,
  user,
} from './support/pi-file.ts'

vi.setConfig({ testTimeout: 30_000 })

const tree = [
  header(),
  ...linear(6),
  user(7, 2),
  assistant(8, 7),
  entry(9, 8, 'compaction', { summary: 's', firstKeptEntryId: idAt(7) }),
  entry(10, 9, 'session_info', { name: 'Tree' }),
  user(11, 10),
]

describe('the same file again', () => {
  it.each([
    ['version 3', tree],
    ['version 1', [headerV1(), ...linear(6).map(bare)]],
    ['a header alone', [header()]],
  ])('writes nothing (%s)', async (_, file) => {
    const { run, store, changes } = createImportFixture()
    const first = await run(file)
    const [meta, log, count] = [await store.getMeta(sourceKey), await store.changes(sourceKey), changes.length]
    expect(await run(file)).toEqual({ ...first, added: 0, known: first.added })
    expect(changes).toHaveLength(count)
    expect(await store.getMeta(sourceKey)).toEqual(meta)
    expect(await store.changes(sourceKey)).toEqual(log)
  })

  it('gives the same entries on another device, at another time', async () => {
    const here = createImportFixture()
    const there = createImportFixture(() => Date.UTC(2030, 0, 1))
    await here.run(tree)
    await there.run(tree)
    expect(await there.store.changes(sourceKey)).toEqual(await here.store.changes(sourceKey))
    expect(await there.store.getMeta(sourceKey)).toEqual(await here.store.getMeta(sourceKey))
  })

  it('does not touch what was done since', async () => {
    const { run, store, ids } = createImportFixture()
    await run(tree)
    await store.append(sourceKey, [{ type: 'message', message: { role: 'user', content: 'from here' }, mid: 'mine' }])
    await store.updateMeta(sourceKey, { title: 'Mine', aliases: [] })
    const before = await store.getMeta(sourceKey)
    expect(await run(tree)).toMatchObject({ added: 0 })
    expect(await store.getMeta(sourceKey)).toEqual(before)
    expect((await ids()).at(-1)).toBe('mine')
    expect(await store.resolveSessionKey(sourceId)).toBe(sourceId)
  })

  it('brings a deleted session back', async () => {
    const { run, store, ids } = createImportFixture()
    await run(tree)
    const before = await ids()
    await store.delete(sourceKey)
    expect(await run([...tree, user(12, 11)])).toMatchObject({ added: 1, known: 11 })
    expect(await ids()).toEqual([...before, idAt(12)])
    expect((await store.getMeta(sourceKey))?.deletedAt).toBe(undefined)
  })

  it('leaves an alias to the session that has it', async () => {
    const { run, store } = createImportFixture()
    await store.updateMeta('other', { aliases: [sourceId] })
    expect(await run(tree)).toMatchObject({ added: 11 })
    expect(await store.resolveSessionKey(sourceId)).toBe('other')
  })
})

describe('a file that has grown', () => {
  it('adds what is new, and goes to the line of the last entry', async () => {
    const { run, store, ids } = createImportFixture()
    await run(tree)
    expect(await run([...tree, user(12, 6), assistant(13, 12)])).toMatchObject({ added: 2, known: 11 })
    expect(await ids()).toEqual([1, 2, 3, 4, 5, 6, 12, 13].map(idAt))
    expect((await store.getMeta(sourceKey))?.updatedAt).toBe(msAt(13))
  })

  it('shows the same as if it had come at once, wherever it was cut', async () => {
    const file = [
      ...tree,
      user(12, 6),
      assistant(13, 12),
      user(14, 2),
      entry(15, 14, 'session_info', { name: 'Later' }),
      user(16, 8),
      user(17, 15),
    ]
    const whole = createImportFixture()
    await whole.run(file)
    const shown = async ({ store, ids }: typeof whole): Promise<unknown> => {
      const {
        branches,
        head: _,
        tokenEstimate,
        messageCount,
        title,
        createdAt,
        updatedAt,
        custom,
      } = (await store.getMeta(sourceKey))!
      const lines = await Promise.all(
        branches.map(async ({ id, isHead }) => ({
          isHead,
          raw: await ids('raw', id),
          context: await ids('context', id),
        })),
      )
      return {
        lines: lines.sort((a, b) => (a.raw.join() < b.raw.join() ? -1 : 1)),
        tokenEstimate,
        messageCount,
        title,
        createdAt,
        updatedAt,
        custom,
      }
    }
    for (let first = 1; first < file.length; first++) {
      for (const second of [first + 1, first + 3]) {
        const grown = createImportFixture()
        for (const length of [first, second, file.length]) await grown.run(file.slice(0, length))
        expect(await shown(grown)).toEqual(await shown(whole))
        expect((await grown.store.verify()).problems).toEqual([])
      }
    }
  })

  it('may have been read while it was being written', async () => {
    const bytes = bytesOf([...tree, user(12, 6, 'ä'), assistant(13, 12)])
    const whole = createImportFixture()
    await whole.run(bytes)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: bytesOf([header()]).length, max: bytes.length }), async (cut) => {
        const grown = createImportFixture()
        await grown.run(bytes.subarray(0, cut))
        expect(await grown.run(bytes)).toMatchObject({ skippedCount: 0 })
        expect(await grown.ids('raw')).toEqual(await whole.ids('raw'))
        expect(await grown.store.getMeta(sourceKey)).toMatchObject({ title: 'Tree', messageCount: 8 })
      }),
      { numRuns: 40 },
    )
  })

  it('takes a new name, and leaves the rest of the metadata alone', async () => {
    const { run, store } = createImportFixture()
    await run(tree)
    await store.updateMeta(sourceKey, { tags: ['work'], custom: { mine: true } })
    const file = [...tree]
    for (let n = 12; n < 24; n++) {
      file.push(entry(n, n - 1, 'session_info', { name: `Name ${n}` }))
      await run(file)
      expect(await store.getMeta(sourceKey)).toMatchObject({
        title: `Name ${n}`,
        tags: ['work'],
        custom: { mine: true },
      })
    }
  })

  it('goes on after what was written here', async () => {
    const { run, store, ids } = createImportFixture()
    await run(tree)
    await store.append(sourceKey, [{ type: 'message', message: { role: 'user', content: 'here' }, mid: 'here' }])
    await run([...tree, assistant(12, 11)])
    expect((await ids()).slice(-3).sort()).toEqual(['here', idAt(11), idAt(12)])
  })
})

describe('progress', () => {
  it('says how far the file is read', async () => {
    const { store } = createImportFixture()
    const bytes = bytesOf([header(), ...linear(50), '{'])
    const seen: JobProgress[] = []
    await importPi(store, inPieces(bytes, 500), {
      totalBytes: bytes.length,
      onProgress: (progress) => void seen.push(progress),
    })
    expect(seen.length).toBeGreaterThan(bytes.length / 500)
    expect(seen.at(-1)).toEqual({ readBytes: bytes.length, totalBytes: bytes.length, entries: 50, skipped: 1 })
    for (const [i, { readBytes, entries }] of seen.entries()) {
      expect(readBytes).toBeGreaterThanOrEqual(seen[i - 1]?.readBytes ?? 0)
      expect(entries).toBeGreaterThanOrEqual(seen[i - 1]?.entries ?? 0)
    }
  })
})

describe('an import that is cancelled', () => {
  const file = [header(), ...linear(1700)]

  /** Runs it, and cancels it at the n-th sign of progress. */
  async function cancelAt(n: number, fixture = createImportFixture(), lines = file): Promise<typeof fixture> {
    const ending = new AbortController()
    let count = 0
    const error: unknown = await importPi(fixture.store, inPieces(bytesOf(lines), 100_000), {
      signal: ending.signal,
      onProgress: () => {
        if (++count === n) ending.abort()
      },
    }).catch((caught: unknown) => caught)
    expect(isSessionError(error, 'Aborted')).toBe(true)
    return fixture
  }

  it.each([1, 2, 3, 4, 5, 6])('leaves nothing of a session that was not there (at sign %i)', async (n) => {
    const { store } = await cancelAt(n)
    expect((await store.listSessions()).total).toBe(0)
    expect(await store.getMeta(sourceKey)).toBe(undefined)
    expect(await store.resolveSessionKey(sourceId)).toBe(sourceId)
  })

  it('before it begins does nothing', async () => {
    const { run, store } = createImportFixture()
    await expect(run(file, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
    expect((await store.listSessions()).total).toBe(0)
  })

  it('can be done again', async () => {
    const { run, ids } = await cancelAt(5)
    expect(await run(file)).toMatchObject({ added: 1700, known: 0 })
    expect(await ids()).toHaveLength(1700)
  })

  it('leaves a session that was there with a part of what is new, and another import adds the rest', async () => {
    const fixture = createImportFixture()
    await fixture.run(file.slice(0, 11))
    await cancelAt(6, fixture)
    const { length } = await fixture.ids()
    expect(length).toBeGreaterThan(10)
    expect(length).toBeLessThan(1700)
    expect(await fixture.run(file)).toMatchObject({ added: 1700 - length, known: length })
    expect(await fixture.ids()).toEqual(linear(1700).map(({ id }) => id))
  })

  it('leaves what the user has written into the new session meanwhile', async () => {
    const { store } = createImportFixture()
    const ending = new AbortController()
    let count = 0
    let appending: Promise<unknown> | undefined
    const importing = importPi(store, inPieces(bytesOf(file), 1_000_000), {
      signal: ending.signal,
      onProgress: () => {
        // The file is read with three signs; at the fourth the session is there.
        if (++count !== 4) return
        appending = store
          .append(sourceKey, [{ type: 'message', message: { role: 'user', content: 'mine' } }])
          .then(() => ending.abort())
      },
    })
    await expect(importing).rejects.toMatchObject({ name: 'Aborted' })
    await appending
    expect((await store.getHistory(sourceKey)).at(-1)).toEqual({ role: 'user', content: 'mine' })
  })

  it('leaves a deleted session deleted', async () => {
    const fixture = createImportFixture()
    await fixture.run(file.slice(0, 11))
    await fixture.store.delete(sourceKey)
    await cancelAt(6, fixture)
    expect((await fixture.store.getMeta(sourceKey))?.deletedAt).not.toBe(undefined)
  })
})
