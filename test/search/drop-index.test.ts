import { IDBFactory } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { dropIndexDatabase, indexName } from '../../src/search/open-index-database.ts'

it('the deletion of an index does not wait for a tab that holds it open', async () => {
  const indexedDB = new IDBFactory()
  const name = indexName('db')
  const held = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(name, 1)
    request.onsuccess = () => resolve(request.result)
  })
  await dropIndexDatabase('db', indexedDB)
  held.close()
  await expect.poll(async () => (await indexedDB.databases()).map((one) => one.name)).toEqual([])
})
