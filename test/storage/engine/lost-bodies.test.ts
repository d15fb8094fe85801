import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { readLane } from '../../../src/storage/engine/reading/read-lane.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { changeStore } from '../damage-indexeddb.ts'

const name = 'lost-bodies'
const [count, lost] = [30, 20]
/** Of the size at which data lies outside of its record. */
const large = 'x'.repeat(40_000)

/** A session of large messages, of which a long row in the middle has lost what they said. */
async function open(): Promise<{ readonly store: SessionStore; readonly backend: StorageBackend }> {
  const indexedDB = new IDBFactory()
  const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
  const store = createSessionStore(backend)
  for (let i = 0; i < count; i++) await store.addMessage('s', 'user', `${i} ${large}`)
  const keys = await changeStore(indexedDB, name, 'bodies', (bodies) => bodies.getAllKeys())
  for (const key of (keys as IDBValidKey[]).slice(5, 5 + lost))
    await changeStore(indexedDB, name, 'bodies', (bodies) => bodies.delete(key))
  return { store, backend }
}

const left = Array.from({ length: count }, (_, i) => i).filter((i) => i < 5 || i >= 5 + lost)

it.each(['after', 'before'] as const)(
  'gives every message that is left, page by page, where more in a row have lost their bodies than a page holds: %s',
  async (way) => {
    const { store } = await open()
    const found: number[] = []
    let edge: string | undefined
    // A read that comes no further would go on for ever.
    for (let [more, pages] = [true, 0]; more && pages <= count; pages++) {
      const page = await store.read(
        's',
        way === 'after'
          ? { after: edge ?? '', limit: 3 }
          : edge === undefined
            ? { last: 3 }
            : { before: edge, limit: 3 },
      )
      const numbers = page.entries.map(({ message }) => Number.parseInt(String(message?.content), 10))
      if (way === 'after') found.push(...numbers)
      else found.unshift(...numbers)
      edge = page.entries.at(way === 'after' ? -1 : 0)?.order
      more = page.more
    }
    expect(found).toEqual(left)
    await store.close()
  },
)

it('reads a whole lane past them, and names each once', async () => {
  const { store, backend } = await open()
  const { hot } = (await backend.loadSession('s'))!
  const inSmallParts = {
    ...backend,
    readRange: (read: Parameters<StorageBackend['readRange']>[0]) => backend.readRange({ ...read, limit: 4 }),
  }
  const unreadable: string[] = []
  const rows = await readLane(inSmallParts, hot.session, 0, '', (record) => unreadable.push(record))
  expect(rows).toHaveLength(count - lost)
  expect(unreadable).toEqual([...new Set(unreadable)])
  expect(unreadable.length).toBeGreaterThan(0)
  await store.close()
})
