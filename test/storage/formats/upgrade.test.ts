import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openCoreBackend } from '../../../src/storage/indexeddb/core-backend.ts'
import { formats } from '../../../src/storage/indexeddb/formats.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { nativeOpener, openNatively } from '../../../src/storage/indexeddb/open-natively.ts'
import { openWithDexie } from '../../../src/storage/indexeddb/open-with-dexie.ts'
import { failRequest } from '../../support/indexeddb-faults.ts'
import { changeStore } from '../damage-indexeddb.ts'
import { dumpDatabase, restoreDatabase } from './database-dump.ts'
import { repeated } from './fill-store.ts'
import { fixtures } from './fixtures.ts'
import { readStore } from './read-store.ts'

const name = 'upgraded'
const openers = [
  ['with Dexie', openWithDexie],
  ['natively', openNatively],
] as const
const nothingMore = (): object => ({})

/** A database of an old format. */
async function oldDatabase(database: (typeof fixtures)[number]['database']): Promise<IDBFactory> {
  const indexedDB = new IDBFactory()
  await restoreDatabase(indexedDB, name, database)
  return indexedDB
}

const upgradeWith = async (opener: typeof openNatively, indexedDB: IDBFactory): Promise<void> => {
  await (await openCoreBackend(opener, { name, indexedDB, IDBKeyRange }, nothingMore)).close()
}

describe.each(fixtures)('a database of format $format', ({ database, readings }) => {
  it('has everything it had when it is opened by this code', async () => {
    const indexedDB = await oldDatabase(database)
    const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
    expect(await readStore(store)).toEqual(readings)
    await store.close()
  })

  it('is the same whoever upgrades it, and has the stores of a new one', async () => {
    const dumps = []
    for (const [, opener] of openers) {
      const indexedDB = await oldDatabase(database)
      await upgradeWith(opener, indexedDB)
      dumps.push(await dumpDatabase(indexedDB, name))
    }
    const indexedDB = new IDBFactory()
    await upgradeWith(openNatively, indexedDB)
    expect(dumps[1]).toEqual(dumps[0])
    const schemaOf = ({ version, stores }: Awaited<ReturnType<typeof dumpDatabase>>): unknown => [
      version,
      stores.map(({ name: store, keyPath, indexes }) => [store, keyPath, indexes]),
    ]
    expect(schemaOf(dumps[0]!)).toEqual(schemaOf(await dumpDatabase(indexedDB, name)))
  })

  it('knows the operations that were done before', async () => {
    const indexedDB = await oldDatabase(database)
    const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
    const { key, text, operationId } = repeated
    const before = (await store.usage()).entries
    await store.append(key, [{ type: 'message', message: { role: 'user', content: text } }], { operationId })
    expect((await store.usage()).entries).toBe(before)
    await expect(
      store.append(key, [{ type: 'message', message: { role: 'user', content: 'other' } }], { operationId }),
    ).rejects.toMatchObject({ name: 'OperationConflict' })
    await store.close()
  })

  it('is upgraded when what it says about itself is damaged', async () => {
    const indexedDB = await oldDatabase(database)
    await changeStore(indexedDB, name, 'info', (store) => store.delete('database'))
    const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
    expect(await readStore(store)).toEqual(readings)
    await store.close()
  })

  it('stays as it was when the upgrade breaks off at any of its requests, and is upgraded the next time', async () => {
    const indexedDB = await oldDatabase(database)
    let requests = 1
    for (; ; requests = Math.ceil(requests * 1.3)) {
      const fault = failRequest(requests, { how: 'throw', name: 'UnknownError' })
      const opening = upgradeWith(openNatively, indexedDB).then(
        () => 'opened',
        (error: Error) => error.name,
      )
      const outcome = await opening
      if (!fault.restore()) break
      // A request that is not part of the upgrade any more.
      if (outcome === 'opened' || (await dumpDatabase(indexedDB, name)).version !== database.version) break
      expect(outcome).toBe('StorageUnavailable')
      expect(await dumpDatabase(indexedDB, name)).toEqual(database)
    }
    // An upgrade that only adds stores makes six requests.
    expect(requests).toBeGreaterThan(4)
    await upgradeWith(openNatively, indexedDB)
    expect(
      (await dumpDatabase(indexedDB, name)).stores.find((store) => store.name === 'info')?.rows[0]?.[1],
    ).toMatchObject({ formatVersion: formats.length })
  })

  it("is upgraded though one of its records can't be read", async () => {
    const indexedDB = await oldDatabase(database)
    const [key] = database.stores.find((store) => store.name === 'entries')!.rows[0]!
    await changeStore(indexedDB, name, 'entries', (store) => store.put({ nonsense: true }, key))
    await upgradeWith(openNatively, indexedDB)
    const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
    expect((await store.verify()).problems.map(({ kind }) => kind)).toContain('unreadable')
    await store.close()
  })
})

describe.each(openers)('opened %s', (_, opener) => {
  it('leaves a database alone that has the version of an older format, and other stores', async () => {
    const indexedDB = new IDBFactory()
    const request = indexedDB.open(name, 10)
    request.onupgradeneeded = () => request.result.createObjectStore('theirs')
    await new Promise((resolve) => (request.onsuccess = resolve))
    request.result.close()
    await expect(upgradeWith(opener, indexedDB)).rejects.toMatchObject({ name: 'StorageUnavailable' })
    const after = await dumpDatabase(indexedDB, name)
    expect([after.version, after.stores.map((store) => store.name)]).toEqual([10, ['theirs']])
  })
})

it('takes a database over several formats at once, and counts those that change only data', async () => {
  const indexedDB = await oldDatabase(fixtures[0]!.database)
  const later = [...formats, { stores: {} }, { stores: { more: 'id' } }]
  await upgradeWith(nativeOpener(later), indexedDB)
  const { version, stores } = await dumpDatabase(indexedDB, name)
  expect([version, stores.some((store) => store.name === 'more')]).toEqual([later.length * 10, true])
  expect(stores.find((store) => store.name === 'info')?.rows[0]?.[1]).toMatchObject({ formatVersion: later.length })
  await expect(upgradeWith(openNatively, indexedDB)).rejects.toMatchObject({ name: 'VersionConflict' })
})
