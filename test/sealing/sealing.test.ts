import { IDBKeyRange } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import { openKeys } from '../../src/sealing/open-keys.ts'
import { sealBackend } from '../../src/sealing/seal-backend.ts'
import { createSegmentSealing } from '../../src/sealing/segment-sealing.ts'
import { createSearchService } from '../../src/search/create-search-service.ts'
import { openIndexDatabase } from '../../src/search/open-index-database.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { changeStore } from '../storage/damage-indexeddb.ts'
import { allText } from './support/all-text.ts'
import { richRows, richSessionTexts, secret, writeRichSession } from './support/rich-session.ts'
import { createSealedDevice, databaseName, drawKey } from './support/sealed-device.ts'

/** What lies in the files of a mirror. */
const mirrored = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files.values()].map((bytes) => new TextDecoder('latin1').decode(bytes)).join('\n')

const append = { type: 'message', message: { role: 'user', content: 'hello' } } as const

describe('an encrypted store', () => {
  it('leaves no text in the database, the mirror or the search index', async () => {
    const device = createSealedDevice()
    const { store, keys, backend, keepMirror } = await device.open({ key: await drawKey() })
    const hash = await writeRichSession(store)
    const blocks = await openIndexDatabase({
      name: 'index',
      epoch: backend.epoch,
      indexedDB: device.factory(),
      sealing: createSegmentSealing(keys),
    })
    const search = createSearchService({ source: sealBackend(backend, keys), blocks, mayWrite: true })
    expect((await search.search({ query: secret, filter: {}, known: [] })).length).toBeGreaterThan(0)
    await search.close()
    await keepMirror()
    expect(await richSessionTexts(store)).toContain(secret)
    expect(await richRows(store)).toBe(`bytes ${secret} {"note":"${secret}"}`)
    expect(await (await store.getBlob(hash))?.text()).toBe(`blob ${secret}`)
    expect(await allText(device.factory())).not.toContain(secret)
    expect(mirrored(device.folder.files)).not.toContain(secret)
  })

  it('refuses rows of collections to code that has no key, or the key of another place', async () => {
    const device = createSealedDevice()
    const plain = await device.openPlain()
    await plain.writeRows('rows', [{ type: 'put', key: 'before', value: 1 }])
    const { store, reseal } = await device.open({ key: await drawKey() })
    await reseal({ rotate: false })
    const put = { type: 'put', key: 'a', value: 1 } as const
    await expect(plain.writeRows('rows', [put])).rejects.toMatchObject({ name: 'WrongPassphrase' })
    await expect(plain.getRows('rows', ['before'])).rejects.toMatchObject({ name: 'WrongPassphrase' })
    await expect(plain.listRows('rows')).rejects.toMatchObject({ name: 'WrongPassphrase' })
    await store.writeRows('rows', [put])
    await changeStore(device.factory(), databaseName, 'rows', (rows) => {
      const request = rows.get(['rows', 'a'])
      request.onsuccess = () => rows.put(request.result, ['rows', 'b'])
      return request
    })
    expect(await store.listRows('rows')).toEqual({
      rows: [
        { key: 'a', value: 1 },
        { key: 'before', value: 1 },
      ],
      unreadable: ['b'],
    })
    await expect(store.getRows('rows', ['b'])).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  })

  it('knows an operation on rows again after its key was replaced', async () => {
    const device = createSealedDevice()
    const { store, reseal } = await device.open({ key: await drawKey() })
    const write = (value: number) =>
      store.writeRows('rows', [{ type: 'insertIfAbsent', key: 'a', value }], { operationId: 'o' })
    expect(await write(1)).toEqual([true])
    await reseal({ rotate: true })
    expect(await write(1)).toEqual([true])
    await expect(write(2)).rejects.toMatchObject({ name: 'OperationConflict' })
  })

  it('leaves text where it is plain, so that the test before can fail', async () => {
    const device = createSealedDevice()
    await writeRichSession(await device.openPlain())
    expect(await allText(device.factory())).toContain(secret)
  })

  it('keeps an index that is found again with the same key, and with no other', async () => {
    const device = createSealedDevice()
    const { store, keys, backend } = await device.open({ key: await drawKey() })
    await writeRichSession(store)
    const open = (sealing = createSegmentSealing(keys)) =>
      openIndexDatabase({ name: 'index', epoch: 'e', indexedDB: device.factory(), sealing })
    const search = createSearchService({ source: sealBackend(backend, keys), blocks: await open(), mayWrite: true })
    await search.search({ query: secret, filter: {}, known: [] })
    await search.close()
    const breathe = async (): Promise<void> => undefined
    const found = await (await open()).load(breathe)
    expect(found?.segments[0]?.segment.terms.bytes).toBeInstanceOf(Uint8Array)
    const other = createSegmentSealing((await createSealedDevice().open({ key: await drawKey() })).keys)
    expect(await (await open(other)).load(breathe)).toBeUndefined()
  })
})

describe('opening', () => {
  it.each([
    ['another passphrase', { passphrase: 'wrong' }],
    ['a key', 'key'],
  ] as const)('is refused with %s, and writes nothing', async (_, given) => {
    const device = createSealedDevice()
    await (await device.open({ passphrase: 'right' })).store.append('s', [append])
    const before = await allText(device.factory())
    const files = mirrored(device.folder.files)
    await expect(device.open(given === 'key' ? { key: await drawKey() } : given)).rejects.toMatchObject({
      name: 'WrongPassphrase',
    })
    expect(await allText(device.factory())).toBe(before)
    expect(mirrored(device.folder.files)).toBe(files)
  })

  it('is refused without a key', async () => {
    const device = createSealedDevice()
    await device.open({ key: await drawKey() })
    await expect(device.openPlain()).rejects.toMatchObject({ name: 'WrongPassphrase' })
  })

  it('takes a passphrase that is spelt in another way', async () => {
    const device = createSealedDevice()
    await (await device.open({ passphrase: 'caf\u00e9' })).store.append('s', [append])
    expect((await (await device.open({ passphrase: 'cafe\u0301' })).store.read('s', {})).entries).toHaveLength(1)
  })

  it.each([{}, { passphrase: '' }, { passphrase: 1 }, { key: {} }, { key: 'text' }, 'passphrase', null])(
    'refuses %j',
    async (given) => {
      await expect(createSealedDevice().open(given as never)).rejects.toMatchObject({ name: 'InvalidInput' })
    },
  )

  it('gives two tabs that encrypt at once the same key', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    const [a, b] = await Promise.all([device.open({ key }), device.open({ key })])
    await a.store.append('s', [append])
    await b.store.append('s', [append])
    expect((await a.store.read('s', {})).entries).toHaveLength(2)
    expect(a.keys.keyring().keys).toHaveLength(1)
  })

  it('is refused to code of before', async () => {
    const device = createSealedDevice()
    const { backend } = await device.open({ key: await drawKey() })
    const [row] = (await backend.readRows('info', undefined, 10)).filter(({ key }) => key === 'database')
    expect((row!.value as { formatVersion: number }).formatVersion).toBeGreaterThan(1000)
  })
})

describe('what was sealed', () => {
  it('counts as unreadable in another place, and the rest stays', async () => {
    const device = createSealedDevice()
    const { store, backend } = await device.open({ key: await drawKey() })
    for (const text of ['a', 'b', 'c'])
      await store.append('s', [{ type: 'message', message: { role: 'user', content: text } }])
    const records = (await backend.readRecords(undefined, 10)).filter(({ key }) => key[1] === 0)
    const [a, b] = records.map(({ entries }) => entries![0]!) as [never, never]
    await backend.replaceRecord(records[0]!, [{ ...(a as object), data: (b as { data: object }).data } as never])
    const { entries, skipped } = await store.read('s', {})
    expect(entries.map(({ message }) => message?.['content'])).toEqual(['b', 'c'])
    expect(skipped).toBe(1)
    expect((await store.verify('s')).problems.map(({ kind }) => kind)).toContain('unreadable')
    await store.repair('s')
    expect((await store.verify('s')).problems.map(({ kind }) => kind)).not.toContain('unreadable')
    expect((await store.read('s', {})).entries.map(({ message }) => message?.['content'])).toEqual(['b', 'c'])
  })

  it('comes back when it is a large blob, and not when a bit of it was changed', async () => {
    const device = createSealedDevice()
    const { store, backend } = await device.open({ key: await drawKey() })
    const bytes = Uint8Array.from({ length: 2_500_000 }, (_, i) => i * 7)
    const hash = await store.putBlob(new Blob([bytes], { type: 'image/png' }))
    const back = await store.getBlob(hash)
    expect(back?.type).toBe('image/png')
    // Element by element, as the matchers do it, would take minutes.
    expect(Buffer.compare(Buffer.from(await back!.arrayBuffer()), bytes)).toBe(0)
    const [row] = await backend.readRows('blobs', undefined, 1)
    const sealed = new Uint8Array(await (row!.value as { blob: Blob }).blob.arrayBuffer())
    sealed[1_500_000]! ^= 1
    await backend.replaceRow('blobs', row!, { size: 1, blob: new Blob([sealed]) })
    await expect(store.getBlob(hash)).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  })

  it('comes back from the mirror of a database that is gone, with the same passphrase only', async () => {
    const device = createSealedDevice()
    const first = await device.open({ passphrase: 'right' })
    const hash = await writeRichSession(first.store)
    const before = await richSessionTexts(first.store)
    device.wipe()
    await expect(device.open({ passphrase: 'wrong' })).rejects.toMatchObject({ name: 'WrongPassphrase' })
    const second = await device.open({ passphrase: 'right' })
    expect(await second.keepMirror()).toMatchObject({ left: [], blobs: 1 })
    expect(await richSessionTexts(second.store)).toBe(before)
    expect(await (await second.store.getBlob(hash))?.text()).toBe(`blob ${secret}`)
    // What it left can be read by the next one, too.
    device.wipe()
    const third = await device.open({ passphrase: 'right' })
    expect(await third.keepMirror()).toMatchObject({ left: [] })
    expect(await richSessionTexts(third.store)).toBe(before)
  })
})

it('keeps no key in the clear', async () => {
  const device = createSealedDevice()
  const { keys } = await device.open({ passphrase: 'a long enough passphrase' })
  for (const { aes, hmac } of keys.all()) {
    await expect(crypto.subtle.exportKey('raw', aes)).rejects.toThrow()
    await expect(crypto.subtle.exportKey('raw', hmac)).rejects.toThrow()
  }
  expect(await allText(device.factory())).not.toContain('a long enough passphrase')
})

it('says what to do where there is no cryptography', async () => {
  const backend = await openIndexedDbBackend({
    name: databaseName,
    indexedDB: createSealedDevice().factory(),
    IDBKeyRange,
  })
  const real = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!
  const without = { getRandomValues: crypto.getRandomValues.bind(crypto) }
  Object.defineProperty(globalThis, 'crypto', { value: without, configurable: true })
  try {
    await expect(openKeys(backend, { passphrase: 'p' })).rejects.toMatchObject({
      name: 'StorageUnavailable',
      message: expect.stringContaining('https'),
    })
    expect(await backend.loadKeyring()).toBeUndefined()
  } finally {
    Object.defineProperty(globalThis, 'crypto', real)
  }
})
