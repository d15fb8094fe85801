import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'

const mebibyte = 2 ** 20

it.each([false, true])(
  'ends a page of large rows early, and the pages have every row once (reverse: %s)',
  async (reverse) => {
    const store = createSessionStore(
      await openIndexedDbBackend({ name: 'row pages', indexedDB: new IDBFactory(), IDBKeyRange }),
    )
    const keys = Array.from({ length: 72 }, (_, i) => `r${String(i).padStart(2, '0')}`)
    for (const [i, key] of keys.entries())
      await store.writeRows('c', [{ type: 'put', key, value: new Uint8Array(i < 40 ? mebibyte : 1) }])
    const pages: string[][] = []
    let after: string | undefined
    do {
      const { rows, next } = await store.listRows('c', {
        limit: 60,
        reverse,
        ...(after === undefined ? {} : { after }),
      })
      const bytes = rows.reduce((sum, { value }) => sum + (value as Uint8Array).length, 0)
      // The first rows of a page are read before anything is known of their size.
      expect(bytes).toBeLessThanOrEqual(33 * mebibyte)
      pages.push(rows.map(({ key }) => key))
      after = next
    } while (after !== undefined)
    expect(pages.flat()).toEqual(reverse ? keys.reverse() : keys)
    await store.close()
  },
)
