import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { createCollection } from '../../src/client/collection.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const clients: SessionClient[] = []

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory())
  vi.stubGlobal('IDBKeyRange', IDBKeyRange)
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  vi.unstubAllGlobals()
})

async function openTab(): Promise<SessionClient> {
  const client = await openDirectStore({ name: 'collections', modes: ['in-page'] })
  clients.push(client)
  return client
}

it('reads, lists and writes the rows of one collection', async () => {
  const settings = (await openTab()).collection('settings')
  expect(settings.name).toBe('settings')
  expect(await settings.write([{ type: 'put', key: 'theme', value: 'dark' }])).toEqual([true])
  expect([await settings.get('theme'), await settings.get('none')]).toEqual(['dark', undefined])
  expect(await settings.getAll(['none', 'theme'])).toEqual([undefined, 'dark'])
  expect(await settings.range({ prefix: 'th' })).toEqual({ rows: [{ key: 'theme', value: 'dark' }] })
})

it('tells subscribers in every tab which rows of their collection changed', async () => {
  const [here, there] = [await openTab(), await openTab()]
  const heard: (readonly string[] | undefined)[] = []
  const own: (readonly string[] | undefined)[] = []
  const arrived = new Promise<void>((resolve) => {
    there.collection('settings').subscribe((keys) => {
      heard.push(keys)
      if (heard.length === 2) resolve()
    })
  })
  const stop = here.collection('settings').subscribe((keys) => own.push(keys))
  await here.collection('other').write([{ type: 'put', key: 'a', value: 1 }])
  await here.collection('settings').write([
    { type: 'put', key: 'a', value: 1 },
    { type: 'put', key: 'a', value: 2 },
    { type: 'delete', key: 'none' },
    { type: 'insertIfAbsent', key: 'b', value: 1 },
  ])
  expect(own).toEqual([['a', 'b']])
  stop()
  await here.collection('settings').write([{ type: 'delete', key: 'b' }])
  await arrived
  expect([own, heard]).toEqual([[['a', 'b']], [['a', 'b'], ['b']]])
})

it('announces nothing when nothing changed', async () => {
  const client = await openTab()
  const changes: string[] = []
  client.subscribe(({ type }) => changes.push(type))
  const rows = client.collection('settings')
  await rows.write([{ type: 'delete', key: 'none' }])
  await rows.write([{ type: 'insertIfAbsent', key: 'a', value: 1 }], { operationId: 'o' })
  await rows.write([{ type: 'insertIfAbsent', key: 'a', value: 1 }])
  expect(changes).toEqual(['collection'])
})

it('has subscribers read again when a worker died, because nobody can say what it stored', async () => {
  const feed = createChangeFeed()
  const store = createSessionStore(createMemoryBackend())
  const heard: unknown[] = []
  createCollection('settings', store, feed).subscribe((keys) => heard.push(keys))
  feed.emit({ type: 'notice', name: 'workerRestarted', message: '' })
  feed.emit({ type: 'notice', name: 'degraded', message: '' })
  expect(heard).toEqual([undefined])
  await store.close()
})

it('refuses a bad name with the first call', async () => {
  await expect((await openTab()).collection('').get('a')).rejects.toMatchObject({ name: 'InvalidInput' })
})
