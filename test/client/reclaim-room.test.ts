import { IDBFactory } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { reclaimRoom } from '../../src/client/upkeep/reclaim-room.ts'

/** A full database with rows of two sessions, in a browser that counts as it is told. */
async function setUp(counts: readonly number[]) {
  const indexedDB = new IDBFactory()
  const opened: string[] = []
  const open = indexedDB.open.bind(indexedDB)
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = open('some', 1)
    request.onupgradeneeded = () =>
      ['bodies', 'entries', 'aside'].forEach((store) => request.result.createObjectStore(store))
    request.onsuccess = () => resolve(request.result)
  })
  const write = (change: (entries: IDBObjectStore) => void): Promise<void> =>
    new Promise((resolve) => {
      const transaction = database.transaction('entries', 'readwrite')
      transaction.oncomplete = () => resolve()
      change(transaction.objectStore('entries'))
    })
  await write((entries) => [1, 2].forEach((session) => entries.put('row', [session, 0, 'a'])))
  indexedDB.open = (name, version) => (opened.push(name), open(name, version))
  const left = [...counts]
  const feed = createChangeFeed()
  reclaimRoom({ name: 'some', feed, indexedDB, usage: async () => (left.length > 1 ? left.shift()! : left[0]!) })
  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))
  const refuse = (): Promise<void> => (
    feed.emit({ type: 'notice', name: 'spaceLow', message: '', space: { neededBytes: 10 } }), rest()
  )
  const purge = async (): Promise<void> => {
    await write((entries) => entries.delete([1, 0, 'a']))
    feed.emit({ type: 'session', key: 's', session: 1, version: 2, rows: [], reload: true })
    await rest()
  }
  const names = async (): Promise<unknown[]> => (await indexedDB.databases()).map(({ name }) => name)
  const keys = (): Promise<unknown> =>
    new Promise(
      (resolve) =>
        (database.transaction('entries').objectStore('entries').getAllKeys().onsuccess = ({ target }) =>
          resolve((target as IDBRequest).result)),
    )
  return { opened, refuse, purge, names, keys }
}

it('has the browser write out what a purge marked, and leaves no trace', async () => {
  const { opened, refuse, purge, names, keys } = await setUp([100, 110, 90])
  await refuse()
  await purge()
  expect(opened).toContain('some/room')
  await expect.poll(names).toEqual(['some'])
  expect(await keys()).toEqual([[2, 0, 'a']])
})

it('does nothing where the browser has given the room back by itself', async () => {
  const { opened, refuse, purge } = await setUp([100, 40])
  await refuse()
  await purge()
  expect(opened).not.toContain('some/room')
})

it('does nothing for a purge while there is room', async () => {
  const { opened, purge } = await setUp([100])
  await purge()
  expect(opened).toEqual([])
})
