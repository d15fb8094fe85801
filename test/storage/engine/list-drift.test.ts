import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { SessionListing } from '../../../src/contract/meta.ts'
import type { HotRow } from '../../../src/contract/rows.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { say } from '../../../src/testing/helpers.ts'
import { changeStore } from '../damage-indexeddb.ts'

const name = 'drift'

/**
 * How each field of a list is made wrong in its hot row. The compiler asks for that of a new field. `unknown`: the log
 * does not say it, so that no check can compare it.
 */
const wrong: Readonly<Record<keyof SessionListing, ((row: HotRow) => Partial<HotRow>) | 'unknown'>> = {
  // The name of the row itself.
  key: 'unknown',
  title: () => ({ auto: { order: '', title: 'another' } }),
  titleSource: () => ({ title: 'hello' }),
  agentId: () => ({ agentId: 'another' }),
  userId: () => ({ userId: 'another' }),
  archived: () => ({ archived: true }),
  tags: () => ({ tags: ['another'] }),
  // Entries that were erased count for both times.
  createdAt: 'unknown',
  updatedAt: 'unknown',
  messageCount: ({ transcript }) => ({ transcript: { ...transcript, messages: 9 } }),
  tokenEstimate: ({ context }) => ({ context: { ...context, tokens: 99 } }),
  deletedAt: () => ({ deletedAt: 9 }),
  kept: () => ({ kept: true }),
  life: () => ({ life: 9 }),
  promotedTo: () => ({ promotedTo: 'another' }),
  ttl: () => ({ ttl: 9 }),
}

it.each(Object.entries(wrong).flatMap(([field, change]) => (change === 'unknown' ? [] : [[field, change] as const])))(
  'finds that the list has another %s than the log, and mends it',
  async (_, change) => {
    const indexedDB = new IDBFactory()
    const open = () => openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
    const backend = await open()
    const store = createSessionStore(backend)
    await say(store, 'a', ['hello'])
    expect((await store.verify('a')).problems).toEqual([])
    const { hot } = (await backend.loadSession('a'))!
    await store.close()
    await changeStore(indexedDB, name, 'sessions', (rows) => rows.put({ ...hot, ...change(hot) }))
    const again = createSessionStore(await open())
    expect((await again.verify('a')).problems.map(({ kind }) => kind)).toEqual(['meta'])
    await again.repair('a')
    expect((await again.verify('a')).problems).toEqual([])
    await again.close()
  },
)
