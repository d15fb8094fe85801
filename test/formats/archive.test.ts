import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { type Unzipped, unzipSync, zipSync } from 'fflate'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { SessionMeta } from '../../src/contract/meta.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { importPi } from '../../src/dialects/pi/format/import-pi.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { type ExportArchiveOptions, exportArchive } from '../../src/formats/export-archive.ts'
import { readEntries } from '../../src/formats/read-log-entries.ts'
import { restoreArchive } from '../../src/formats/restore-archive.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { createWebStorage } from '../support/web-storage.ts'
import { bytesOf, header, inPieces, linear, user } from './support/pi-file.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })

async function archived(store: SessionStore, options?: ExportArchiveOptions): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const part of exportArchive(store, options)) parts.push(part)
  return new Blob(parts)
}

const bytes = async (blob: Blob): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await blob.arrayBuffer())
const members = async (blob: Blob): Promise<Unzipped> => unzipSync(await bytes(blob))
const say = (role: string, content: string) => ({ type: 'message' as const, message: { role, content } })
/**
 * Metadata but for what a store makes itself: of a session that was started afresh, a store that merges it makes it of
 * what was before too.
 */
const metaOf = (meta: SessionMeta | undefined): unknown =>
  meta?.titleSource === 'user' ? { ...meta, createdAt: 0 } : { ...meta, createdAt: 0, title: '', titleSource: 'none' }

/** What there is to know of sessions. */
const everything = async (store: SessionStore, keys: readonly string[]): Promise<unknown> =>
  Promise.all(
    keys.map(async (key) => [
      (await readEntries(store, key)).toSorted((a, b) => a.w - b.w || a.s - b.s),
      metaOf(await store.getMeta(key)),
      await store.read(key, { after: '', limit: 4096 }).then(({ entries }) => entries),
      await store.listCheckpoints(key),
      await store.getHistory(key),
    ]),
  )

/** A store in which there is some of everything. */
async function busyStore(): Promise<{
  readonly store: SessionStore
  readonly keys: readonly string[]
  readonly blob: string
}> {
  const store = openStore()
  const blob = await store.putBlob(
    new Blob(['PK\u0003\u0004 a zip in a zip PK\u0001\u0002 PK\u0007\u0008 PK\u0005\u0006'], {
      type: 'application/zip',
    }),
  )
  for (let n = 0; n < 4; n++)
    await store.append('a:b', [say('user', `q${n} \u2028 😀`), { ...say('assistant', `a${n}`), mid: `m${n}` }])
  const { entries } = await store.read('a:b', { after: '' })
  await store.append('a:b', [
    { type: 'message', message: { role: 'user', content: 'see', attachments: [{ ref: `blob:${blob}` }] } },
  ])
  await store.checkpoint('a:b', { label: 'L', state: { step: 1 }, metadata: { m: true } })
  await store.openBranch('a:b', { after: entries[3]!, name: 'other' })
  await store.append('a:b', [say('user', 'on a branch')])
  await store.edit('a:b', entries[0]!, { role: 'user', content: 'edited' })
  await store.updateMeta('a:b', {
    title: 'T',
    tags: ['x'],
    aliases: ['bee', 'agent:x:y'],
    agentId: 'main',
    custom: { deep: [1, { z: null }] },
  })
  for (let n = 0; n < 8; n++) await store.addMessage('cut', 'user', `${n}`)
  await store.setCompaction('cut', { summary: 'S', keepLast: 4 })
  await store.truncateHistory('cut', 2)
  // A title made of a message that is gone can't be made again.
  await store.updateMeta('cut', { title: 'Cut' })
  await store.reclaim('cut')
  await store.addMessage('cut', 'user', 'after the purge')
  await store.addMessage('trash', 'user', 'x')
  await store.delete('trash')
  await importPi(store, inPieces(bytesOf([header(), ...linear(5), user(6, 2)])))
  const keys = [
    'a:b',
    'cut',
    'trash',
    (await store.listSessions({ limit: 100 })).sessions.find(({ key }) => key.startsWith('pi:'))!.key,
  ]
  return { store, keys, blob }
}

describe('an archive', () => {
  it('brings back everything, and a second archive of that is the same', async () => {
    const { store, keys, blob } = await busyStore()
    const archive = await archived(store, { keys })
    const other = openStore()
    const report = await restoreArchive(other, archive)
    expect(report).toMatchObject({ known: 0, blobs: 1, skipped: [], skippedCount: 0 })
    expect(report.keys.toSorted()).toEqual(keys.toSorted())
    expect(await everything(other, keys)).toEqual(await everything(store, keys))
    expect(await other.resolveSessionKey('bee')).toBe('a:b')
    expect(await other.resolveSessionKey('agent:x:y')).toBe('a:b')
    const found = await other.getBlob(blob)
    expect([await found?.text(), found?.type]).toEqual([await (await store.getBlob(blob))!.text(), 'application/zip'])
    expect((await other.verify()).problems).toEqual([])
    expect(await bytes(await archived(other, { keys }))).toEqual(await bytes(archive))
  })

  it('leaves the trash here', async () => {
    const { store, keys } = await busyStore()
    const picture = await store.putBlob(new Blob(['a picture of the trash']))
    await store.append('binned', [{ type: 'message', message: { role: 'user', content: `blob:${picture}` } }])
    await store.delete('binned')
    const files = await members(await archived(store))
    const manifest = JSON.parse(new TextDecoder().decode(files['manifest.json'])) as JsonObject
    expect((manifest['sessions'] as JsonObject[]).map(({ key }) => key).toSorted()).toEqual(
      keys.filter((key) => key !== 'trash').toSorted(),
    )
    expect(Object.keys(files)).not.toContain('sessions/trash.jsonl')
    expect(Object.keys(files)).not.toContain(`blobs/${picture}`)
  })

  it('leaves a session here that is deleted while it is written', async () => {
    const store = openStore()
    for (const key of ['a', 'b']) await store.addMessage(key, 'user', 'x')
    const changes: typeof store.changes = async (key, ...rest) => {
      if (key === 'a') await store.delete('b')
      return store.changes(key, ...rest)
    }
    const files = await members(await archived({ ...store, changes }))
    expect(Object.keys(files)).toEqual(['sessions/a.jsonl', 'manifest.json'])
  })

  it('has a deleted session that is named, and it comes back deleted', async () => {
    const { store } = await busyStore()
    const other = openStore()
    const report = await restoreArchive(other, await archived(store, { keys: ['trash'] }))
    expect(report).toMatchObject({ keys: ['trash'], skipped: [] })
    expect((await other.getMeta('trash'))?.deletedAt).toBe((await store.getMeta('trash'))?.deletedAt)
    await other.undelete('trash')
    expect(await other.getHistory('trash')).toEqual([{ role: 'user', content: 'x' }])
  })

  it('goes into IndexedDB and out of it again as it was', async () => {
    const { store, blob } = await busyStore()
    const archive = await archived(store)
    const other = createSessionStore(
      await openIndexedDbBackend({ name: 'archive', indexedDB: new IDBFactory(), IDBKeyRange }),
    )
    expect((await restoreArchive(other, archive)).skipped).toEqual([])
    expect(await (await other.getBlob(blob))?.text()).toBe(await (await store.getBlob(blob))?.text())
    expect(await bytes(await archived(other))).toEqual(await bytes(archive))
    await other.close()
  })

  it('goes into a store that has no room for blobs without them, and says so', async () => {
    const { store, blob } = await busyStore()
    const other = createSessionStore(await openWebStorageBackend({ name: 'archive', storage: createWebStorage() }))
    const report = await restoreArchive(other, await archived(store))
    expect(report).toMatchObject({
      blobs: 0,
      skipped: [{ file: `blobs/${blob}`, reason: expect.stringContaining('no room') as unknown }],
    })
    expect(report.keys).toHaveLength(3)
  })

  it('can be read by anybody: a manifest, a file of JSON lines for each session, blobs by their hash', async () => {
    const { store, blob } = await busyStore()
    const files = await members(await archived(store))
    expect(Object.keys(files)).toEqual([
      `blobs/${blob}`,
      'sessions/a_b.jsonl',
      'sessions/cut.jsonl',
      'sessions/pi_0c5b6a34-73f5-4f0d-a4d5-8f1e5b6a7c01.jsonl',
      'manifest.json',
    ])
    const lines = new TextDecoder()
      .decode(files['sessions/a_b.jsonl'])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
    expect(lines[0]).toEqual({
      keepsession: 'session',
      version: 1,
      key: 'a:b',
      aliases: ['agent:x:y', 'bee'],
      entries: lines.length - 1,
    })
    const manifest = JSON.parse(new TextDecoder().decode(files['manifest.json'])) as JsonObject
    expect(manifest).toMatchObject({ format: 'keepsession-archive', version: 1, counts: { sessions: 3, blobs: 1 } })
    expect((manifest['sessions'] as JsonObject[])[0]).toEqual({
      path: 'sessions/a_b.jsonl',
      key: 'a:b',
      entries: lines.length - 1,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    })
  })

  it('adds nothing the second time, and leaves other sessions alone', async () => {
    const { store, keys } = await busyStore()
    const archive = await archived(store, { keys })
    const other = openStore()
    await other.addMessage('mine', 'user', 'stays')
    await other.addMessage('cut', 'user', 'of this device')
    const mine = await everything(other, ['mine'])
    const { added } = await restoreArchive(other, archive)
    const after = await everything(other, [...keys, 'mine'])
    expect(await restoreArchive(other, archive)).toMatchObject({ added: 0, known: added, blobs: 0 })
    expect(await everything(other, [...keys, 'mine'])).toEqual(after)
    expect(await everything(other, ['mine'])).toEqual(mine)
    expect((await other.getHistory('cut')).map(({ content }) => content)).toContain('of this device')
  })

  it('takes the sessions asked for, and refuses one that is not there', async () => {
    const { store } = await busyStore()
    expect(Object.keys(await members(await archived(store, { keys: ['bee'] })))).toEqual([
      expect.stringMatching(/^blobs/),
      'sessions/a_b.jsonl',
      'manifest.json',
    ])
    await expect(archived(store, { keys: ['nobody'] })).rejects.toMatchObject({ name: 'SessionNotFound' })
  })

  it('gives an alias to the session that owned it, whichever name comes first', async () => {
    const store = openStore()
    await store.ensureSessionMetadata('z', undefined, ['shared'])
    await store.ensureSessionMetadata('a', undefined, ['shared'])
    const other = openStore()
    expect((await restoreArchive(other, await archived(store))).skipped).toEqual([])
    expect(await other.resolveSessionKey('shared')).toBe('z')
  })

  it('tells of aliases and keys that belong to others here', async () => {
    const store = openStore()
    await store.addMessage('k', 'user', 'x')
    await store.updateMeta('k', { aliases: ['nick'] })
    await store.addMessage('a/key', 'user', 'x')
    const other = openStore()
    await other.addMessage('o', 'user', 'x')
    await other.updateMeta('o', { aliases: ['nick', 'a/key'] })
    const report = await restoreArchive(other, await archived(store))
    expect(report.keys).toEqual(['k'])
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      'alias "nick" of session "k" leads to "o" here',
      'its key "a/key" is an alias of session "o" here',
    ])
  })

  it('of a session that was deleted here since leaves it deleted, and says so', async () => {
    const store = openStore()
    await store.addMessage('k', 'user', 'x')
    const archive = await archived(store)
    await store.delete('k')
    expect(await restoreArchive(store, archive)).toMatchObject({ skipped: [], skippedCount: 0, leftDeleted: ['k'] })
    expect((await store.getMeta('k'))?.deletedAt).toBeGreaterThan(0)
  })

  it('brings back a session that was purged', async () => {
    const store = openStore()
    await store.addMessage('k', 'user', 'x')
    const archive = await archived(store)
    await store.purge('k')
    expect(await restoreArchive(store, archive)).toMatchObject({ added: 1, skipped: [] })
    expect(await store.getHistory('k')).toEqual([{ role: 'user', content: 'x' }])
  })

  /**
   * A healthy store, and an archive of its session `k` made after `repair` had taken the second of four entries out of
   * the way.
   */
  async function damaged(): Promise<{ readonly healthy: SessionStore; readonly archive: Blob }> {
    const store = openStore()
    for (let n = 0; n < 4; n++) await store.addMessage('k', 'user', `${n}`)
    const [file] = Object.values(await members(await archived(store)))
    const [first, ...lines] = new TextDecoder().decode(file).trimEnd().split('\n')
    lines.splice(1, 1)
    const holed = [first!.replace('"entries":4', '"entries":3'), ...lines].map((line) => `${line}\n`).join('')
    return { healthy: store, archive: new Blob([zipSync({ 'sessions/k.jsonl': new TextEncoder().encode(holed) })]) }
  }

  it('restores the rest of a session that lost entries before', async () => {
    const [one, two] = [openStore(), openStore()]
    const { archive } = await damaged()
    const report = await restoreArchive(one, archive)
    expect(report).toMatchObject({ keys: ['k'], added: 3 })
    expect(report.skipped.map(({ reason }) => reason)).toContain(
      'it lacks 1 entries, which were lost before it was archived; the others were restored',
    )
    expect((await one.getHistory('k')).map(({ content }) => content)).toEqual(['0', '2', '3'])
    await restoreArchive(two, archive)
    expect(await readEntries(two, 'k')).toEqual(await readEntries(one, 'k'))
    expect((await readEntries(one, 'k')).map(({ type }) => type)).toEqual(['message', 'message', 'message'])
  })

  it('of a session that lost entries hides nothing where they still are, and takes them back from there', async () => {
    const { healthy, archive } = await damaged()
    const before = await readEntries(healthy, 'k')
    const restored = openStore()
    await restoreArchive(restored, archive)
    expect(await restored.merge('k', before)).toEqual({ added: 1, known: 3, refused: [] })
    expect(await readEntries(restored, 'k')).toEqual(before)
    expect((await restored.verify()).problems).toEqual([])
    const behind = openStore()
    await restoreArchive(behind, archive)
    await healthy.merge('k', await readEntries(behind, 'k'))
    expect((await healthy.getHistory('k')).map(({ content }) => content)).toEqual(['0', '1', '2', '3'])
  })

  it('of any sessions comes back as it was', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('say' as const), text: fc.string({ unit: 'binary', maxLength: 8 }) }),
      fc.record({
        do: fc.constantFrom(
          'branch',
          'switch',
          'cut',
          'compaction',
          'checkpoint',
          'edit',
          'remove',
          'delete',
          'reclaim',
          'title',
        ),
      }),
    )
    const text = fc.string({ unit: fc.constantFrom('a', ':', '/', '_', 'é', '😀', '.'), minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(text, fc.array(step, { minLength: 1, maxLength: 12 }), { minKeys: 1, maxKeys: 4 }),
        async (sessions) => {
          const store = openStore()
          for (const [key, steps] of Object.entries(sessions)) for (const one of steps) await take(store, key, one)
          const metas = await Promise.all(Object.keys(sessions).map(async (key) => store.getMeta(key)))
          const keys = metas.flatMap((meta) => (meta === undefined ? [] : [meta.key]))
          const archive = await archived(store, { keys })
          const other = openStore()
          expect((await restoreArchive(other, archive)).skipped).toEqual([])
          expect(await everything(other, Object.keys(sessions))).toEqual(await everything(store, Object.keys(sessions)))
          expect(await bytes(await archived(other, { keys }))).toEqual(await bytes(archive))
          expect((await restoreArchive(store, archive)).added).toBe(0)
        },
      ),
      { numRuns: 40 },
    )
  })
})

async function take(
  store: SessionStore,
  key: string,
  step: { readonly do: string; readonly text?: string },
): Promise<void> {
  const deleted = (await store.getMeta(key))?.deletedAt !== undefined
  const { entries } = await store.read(key, { after: '', limit: 100 })
  const last = entries.at(-1)
  if (step.do === 'say') await store.addMessage(key, 'user', step.text!)
  if (step.do === 'title' && !deleted) await store.updateMeta(key, { title: 'T' })
  if (last === undefined || deleted) return
  if (step.do === 'branch') await store.openBranch(key, { after: last })
  if (step.do === 'switch') await store.switchBranch(key, '')
  if (step.do === 'cut') await store.truncateHistory(key, 1)
  if (step.do === 'compaction') await store.setCompaction(key, { summary: 'S', keepLast: 1 })
  if (step.do === 'checkpoint') await store.checkpoint(key)
  if (step.do === 'edit') await store.edit(key, last, { role: 'user', content: 'new' })
  if (step.do === 'remove') await store.remove(key, last)
  if (step.do === 'delete') await store.delete(key)
  if (step.do === 'reclaim') await store.reclaim(key)
}

describe('an archive that is not as it should be', () => {
  async function sample(): Promise<{ readonly store: SessionStore; readonly archive: Blob }> {
    const store = openStore()
    for (const key of ['a', 'b', 'c']) for (let n = 0; n < 5; n++) await store.addMessage(key, 'user', `${key}${n}`)
    return { store, archive: await archived(store) }
  }
  const change = async (archive: Blob, edit: (files: Record<string, Uint8Array>) => void): Promise<Blob> => {
    const files = { ...(await members(archive)) }
    edit(files)
    return new Blob([zipSync(files)])
  }
  const editText = (file: Uint8Array, edit: (text: string) => string): Uint8Array =>
    new TextEncoder().encode(edit(new TextDecoder().decode(file)))

  it.each<[string, (text: string) => string, string]>([
    ['a changed entry', (text) => text.replace('"b2"', '"B2"'), 'does not match'],
    [
      'a missing line',
      (text) => text.split('\n').toSpliced(3, 1).join('\n'),
      'it has only 4 of the 5 entries in its header',
    ],
    ['a line too many', (text) => `${text}${text.split('\n').at(-2)!}\n`, 'out of order'],
    [
      'lines in another order',
      (text) =>
        text
          .split('\n')
          .map((line, i, all) => (i === 2 ? all[3]! : i === 3 ? all[2]! : line))
          .join('\n'),
      'out of order',
    ],
    ['a torn end', (text) => text.slice(0, -5), 'incomplete'],
    ['a line that is no JSON', (text) => text.replace('"b3"', 'b3'), 'not JSON'],
    [
      'another header',
      (text) => text.replace('"version":1', '"aliases":["mine"],"version":1'),
      'checksum does not match the manifest',
    ],
    ['no header', (text) => text.slice(text.indexOf('\n') + 1), 'the header of a session'],
    ['nothing', () => '', 'it is empty'],
  ])('leaves out a session with %s, and restores the rest', async (_, edit, reason) => {
    const { archive } = await sample()
    const store = openStore()
    const report = await restoreArchive(
      store,
      await change(archive, (files) => void (files['sessions/b.jsonl'] = editText(files['sessions/b.jsonl']!, edit))),
    )
    expect(report.keys).toEqual(['a', 'c'])
    expect(report.skipped).toEqual([
      {
        line: 0,
        reason: expect.stringContaining(reason) as unknown,
        file: 'sessions/b.jsonl',
        error: expect.stringMatching(/^(InvalidInput|ChecksumMismatch)$/) as unknown,
      },
    ])
    expect(await store.getMeta('b')).toBe(undefined)
  })

  it('says what is in it and should not be, and what should and is not', async () => {
    const { archive } = await sample()
    const store = openStore()
    const report = await restoreArchive(
      store,
      await change(archive, (files) => {
        for (const path of [
          '../x',
          '/etc/passwd',
          'sessions/../../y.jsonl',
          'sessions/new.jsonl',
          `blobs/${'0'.repeat(64)}`,
        ])
          files[path] = new TextEncoder().encode('x')
        delete files['sessions/c.jsonl']
      }),
    )
    expect(report.keys).toEqual(['a', 'b'])
    expect(report.skipped.map(({ file, reason }) => [file, reason])).toEqual([
      ['../x', 'it does not belong to an archive'],
      ['/etc/passwd', 'it does not belong to an archive'],
      [`blobs/${'0'.repeat(64)}`, 'it is not in the manifest'],
      ['sessions/../../y.jsonl', 'it does not belong to an archive'],
      ['sessions/c.jsonl', 'it is in the manifest, but not in the archive'],
      ['sessions/new.jsonl', 'it is not in the manifest'],
    ])
  })

  it('does not take a blob that is another than its name says', async () => {
    const store = openStore()
    const hash = await store.putBlob(new Blob(['right']))
    await store.addMessage('k', 'user', hash)
    const archive = await change(
      await archived(store),
      (files) => void (files[`blobs/${hash}`] = new TextEncoder().encode('wrong')),
    )
    const other = openStore()
    expect(await restoreArchive(other, archive)).toMatchObject({
      keys: ['k'],
      blobs: 0,
      skipped: [{ file: `blobs/${hash}`, reason: 'its content does not match the checksum in its name' }],
    })
    expect(await other.getBlob(hash)).toBe(undefined)
  })

  it('when torn gives the sessions that are complete', async () => {
    const { archive } = await sample()
    const whole = await bytes(archive)
    let most = 0
    for (let to = 4; to < whole.length; to += 131) {
      const store = openStore()
      const report = await restoreArchive(store, new Blob([whole.slice(0, to)]))
      expect(report.keys.length).toBeGreaterThanOrEqual(most)
      most = report.keys.length
      expect(report.skipped[0]?.reason).toContain('incomplete')
      expect((await store.listSessions()).sessions.map(({ key }) => key).sort()).toEqual([...report.keys])
      for (const key of report.keys) expect((await store.getHistory(key)).length).toBe(5)
    }
    expect(most).toBe(3)
  })

  it('when torn gives the same through `importFiles`, among others, and says that something is missing', async () => {
    const { archive } = await sample()
    const torn = new Blob([(await bytes(archive)).slice(0, archive.size - 400)])
    const [one, two] = [openStore(), openStore()]
    const { keys } = await restoreArchive(one, torn)
    expect(keys).toHaveLength(3)
    const log = new Blob([
      `${JSON.stringify({ type: 'user', sessionId: 's', uuid: 'u', message: { role: 'user', content: 'x' } })}\n`,
    ])
    const report = await importFiles(two, [
      { path: 'backup.zip', blob: torn },
      { path: 'log', blob: log },
    ])
    expect(report.keys.toSorted()).toEqual([...keys, 'claude-code:s'].toSorted())
    expect(report.skipped.map(({ file, reason }) => [file, /is incomplete/.test(reason)])).toContainEqual([
      'backup.zip',
      true,
    ])
    for (const key of keys) expect(await readEntries(two, key)).toEqual(await readEntries(one, key))
    await expect(importFiles(openStore(), new Blob([(await bytes(archive)).slice(0, 60)]))).rejects.toMatchObject({
      name: 'InvalidInput',
    })
  })

  it('with sessions that are not to be held whole comes back the same', async () => {
    const { store, keys } = await busyStore()
    const archive = await archived(store, { keys })
    const other = openStore()
    expect(await restoreArchive(other, archive, { held: { entries: 2, bytes: 100 } })).toMatchObject({ skipped: [] })
    expect(await everything(other, keys)).toEqual(await everything(store, keys))
    expect((await other.verify()).problems).toEqual([])
    const { archive: plain } = await sample()
    const torn = new Blob([(await bytes(plain)).slice(0, plain.size - 400)])
    const report = await restoreArchive(openStore(), torn, { held: { entries: 2, bytes: 1e6 } })
    expect(report.keys).toEqual([])
    expect(report.skipped.filter(({ error }) => error === 'TooLarge')).toHaveLength(3)
  })

  it('with any byte changed gives sessions as they were, or none', async () => {
    const { archive } = await sample()
    const whole = await bytes(archive)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = whole.slice()
        changed[at] = changed[at]! ^ by
        const store = openStore()
        await restoreArchive(store, new Blob([changed])).catch((error: unknown) =>
          expect(error).toMatchObject({ name: expect.stringMatching(/^(InvalidInput|VersionConflict)$/) as unknown }),
        )
        for (const { key } of (await store.listSessions()).sessions)
          expect((await store.getHistory(key)).map(({ content }) => content)).toEqual(
            [0, 1, 2, 3, 4].map((n) => `${key}${n}`),
          )
      }),
      { numRuns: 150 },
    )
  })

  it('of a newer version is refused before anything is restored', async () => {
    const { archive } = await sample()
    const store = openStore()
    const newer = await change(
      archive,
      (files) =>
        void (files['manifest.json'] = editText(files['manifest.json']!, (text) =>
          text.replace('"version": 1', '"version": 2'),
        )),
    )
    await expect(restoreArchive(store, newer)).rejects.toMatchObject({ name: 'VersionConflict' })
    expect((await store.listSessions()).total).toBe(0)
  })

  it.each([
    ['text', new Blob(['hello'])],
    ['nothing', new Blob([])],
    ['another zip', new Blob([zipSync({ 'conversations.json': new Uint8Array(2) })])],
    [
      'a manifest of something else',
      new Blob([zipSync({ 'manifest.json': new TextEncoder().encode('{"format":"x"}') })]),
    ],
  ])('because it is %s is refused', async (_, blob) => {
    await expect(restoreArchive(openStore(), blob)).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('packed again with its folder is an archive still', async () => {
    const { archive } = await sample()
    const files = await members(archive)
    const again = new Blob([
      zipSync(
        Object.fromEntries([
          ['backup/', new Uint8Array()],
          ...Object.entries(files).map(([path, file]) => [`backup/${path}`, file]),
        ]),
      ),
    ])
    expect(await restoreArchive(openStore(), again)).toMatchObject({ keys: ['a', 'b', 'c'], skippedCount: 0 })
  })

  it('costs no memory for what only unpacks to much', async () => {
    const bomb = new Uint8Array(24 * 1024 * 1024)
    const head = new TextEncoder().encode('{"aliases":[],"entries":9,"keepsession":"session","key":"k","version":1}\n')
    bomb.set(head)
    const store = openStore()
    const report = await restoreArchive(store, new Blob([zipSync({ 'sessions/k.jsonl': bomb })]))
    expect(report.keys).toEqual([])
    expect(report.skipped.map(({ reason }) => reason)).toContain('a line has over 17 MiB')
  })

  it('takes no more of a file than it says it has', async () => {
    const store = openStore()
    const hash = await store.putBlob(new Blob([new Uint8Array(1_000_000)]))
    const packed = zipSync({ [`blobs/${hash}`]: new Uint8Array(1_000_000), 'sessions/none.jsonl': new Uint8Array() })
    const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
    // The size in the directory, which comes last.
    for (let at = packed.length - 4; at > 0; at--)
      if (view.getUint32(at, true) === 1_000_000) {
        view.setUint32(at, 10, true)
        break
      }
    const other = openStore()
    const report = await restoreArchive(other, new Blob([packed as Uint8Array<ArrayBuffer>]))
    expect(report.skipped.map(({ reason }) => reason)).toContain(
      `blobs/${hash} unpacks to more than the 10 bytes in the directory`,
    )
    expect(await other.getBlob(hash)).toBe(undefined)
  })

  it('that says a session made more entries than one can is left out', async () => {
    const { store } = await sample()
    const entries = await readEntries(store, 'a')
    const { sealEntry } = await import('../../src/domain/seal.ts')
    const { canonicalJson } = await import('../../src/domain/canonical-json.ts')
    const far = sealEntry({ ...entries[0]!, s: 2 ** 50 })
    const text = `{"aliases":[],"entries":1,"keepsession":"session","key":"a","version":1}\n${canonicalJson(far as unknown as JsonObject)}\n`
    const report = await restoreArchive(
      openStore(),
      new Blob([zipSync({ 'sessions/a.jsonl': new TextEncoder().encode(text) })]),
    )
    expect(report.skipped.map(({ reason }) => reason)).toContain('the sequence numbers of its entries are too high')
  })
})

describe('archiving and restoring', () => {
  it('stop when they are asked to, and leave no session in part', async () => {
    const store = openStore()
    for (const key of ['a', 'b', 'c'])
      await store.append(
        key,
        Array.from({ length: 500 }, (_, n) => say('user', `${key}${n}`)),
      )
    for (const key of ['a', 'b', 'c'])
      await store.append(
        key,
        Array.from({ length: 500 }, (_, n) => say('user', `${key}${n}`)),
      )
    const archive = await archived(store)
    for (const stopAt of [500, 1000, 1500, 2500]) {
      const other = openStore()
      const ending = new AbortController()
      await expect(
        restoreArchive(other, archive, {
          signal: ending.signal,
          onProgress: ({ entries }) => entries >= stopAt && ending.abort(),
        }),
      ).rejects.toMatchObject({ name: 'Aborted' })
      for (const { key } of (await other.listSessions()).sessions)
        expect((await other.getHistory(key)).length).toBe(1000)
    }
    const ending = new AbortController()
    await expect(archived(store, { signal: ending.signal, onProgress: () => ending.abort() })).rejects.toMatchObject({
      name: 'Aborted',
    })
  })

  it('tells how far it is within a long session', async () => {
    const store = openStore()
    for (let n = 0; n < 3; n++)
      await store.append(
        'long',
        Array.from({ length: 3000 }, (_, i) => say('user', `q${n} ${i}`)),
      )
    const told: { readonly sessions: number; readonly bytes: number }[] = []
    await archived(store, { onProgress: ({ sessions, bytes }) => told.push({ sessions, bytes }) })
    expect(told.map(({ sessions }) => sessions)).toEqual([0, 0, 1])
    expect(told.map(({ bytes }) => bytes).toSorted((a, b) => a - b)).toEqual(told.map(({ bytes }) => bytes))
  })

  it('tell how far they are', async () => {
    const store = openStore()
    for (const key of ['a', 'b']) await store.addMessage(key, 'user', 'x')
    const out: number[] = []
    const archive = await archived(store, {
      onProgress: ({ sessions, totalSessions }) => out.push(sessions, totalSessions),
    })
    expect(out).toEqual([1, 2, 2, 2])
    const progress: number[] = []
    await restoreArchive(openStore(), archive, {
      onProgress: ({ readBytes, totalBytes }) => progress.push(readBytes, totalBytes),
    })
    expect(progress.slice(-2)).toEqual([archive.size, archive.size])
  })

  it('manage 1,000 sessions of 20 messages', async () => {
    const store = openStore()
    for (let n = 0; n < 1000; n++)
      await store.append(
        `session ${n}`,
        Array.from({ length: 20 }, (_, i) =>
          say(i % 2 === 0 ? 'user' : 'assistant', `message ${i} of session ${n}, with some words to it`),
        ),
      )
    const archive = await archived(store)
    const other = openStore()
    expect(await restoreArchive(other, archive)).toMatchObject({ added: 20_000, skippedCount: 0 })
    expect((await other.listSessions()).total).toBe(1000)
    expect(await other.getHistory('session 7')).toEqual(await store.getHistory('session 7'))
  })
})
