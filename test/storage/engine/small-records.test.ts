import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordCapacity, type StorageBackend } from '../../../src/contract/backend.ts'
import type { EntryInput } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { SessionWrite } from '../../../src/contract/write-batch.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges } from '../../../src/testing/helpers.ts'

const say = (count: number): EntryInput[] =>
  Array.from({ length: count }, (_, i) => ({ type: 'message', message: { role: 'user', content: `${i}` } }))

/** A memory backend that notes which small records were joined. */
function joiningBackend() {
  const inner = createMemoryBackend()
  const joined: NonNullable<SessionWrite['pack']>[] = []
  const backend: StorageBackend = {
    ...inner,
    commit: (batch, durability) => {
      for (const { pack } of batch.sessions) if (pack !== undefined) joined.push(pack)
      return inner.commit(batch, durability)
    },
  }
  return { backend, joined }
}

/** What a page from the end reads in one piece. */
async function readSmall(backend: StorageBackend, key: string): Promise<number> {
  const { hot, cold } = (await backend.loadSession(key))!
  if (hot.pack.from === '') return 0
  const lane = cold.lanes[hot.head]!
  const { entries } = await backend.readRange({ session: hot.session, lane, from: hot.pack.from, to: '~' })
  return entries.length
}

async function receive(store: SessionStore, from: SessionStore): Promise<void> {
  await store.merge('s', await allChanges(from, 's'))
}

it('keeps fewer small records at the end than one full record holds, whatever is appended', async () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 50, max: 400 })), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(sizes, async (sizes) => {
      const { backend } = joiningBackend()
      const store = createSessionStore(backend)
      for (const size of sizes) {
        await store.append('s', say(size))
        expect(await readSmall(backend, 's')).toBeLessThan(recordCapacity)
      }
      expect((await store.verify()).problems).toEqual([])
    }),
    { numRuns: 40 },
  )
})

it('joins the small records before a large write and leaves those of the write alone', async () => {
  const { backend, joined } = joiningBackend()
  const store = createSessionStore(backend)
  for (let i = 0; i < 10; i++) await store.append('s', say(1))
  await store.append('s', say(1000))
  expect(joined).toHaveLength(1)
  const { hot, cold } = (await backend.loadSession('s'))!
  const { from, to } = joined[0]!
  const range = { session: hot.session, lane: cold.lanes[hot.head]! }
  expect((await backend.readRange({ ...range, from, to: to! })).entries).toHaveLength(11)
  expect(await readSmall(backend, 's')).toBe(1000 % recordCapacity)
})

it('joins the records of messages that arrive one by one', async () => {
  const { backend, joined } = joiningBackend()
  const [here, elsewhere] = [createSessionStore(backend), createSessionStore(createMemoryBackend())]
  for (let i = 0; i < 130; i++) {
    await elsewhere.append('s', say(1))
    await receive(here, elsewhere)
  }
  expect(joined).toHaveLength(2)
  expect(await readSmall(backend, 's')).toBe(2)
})

it('forgets the small records before a part that arrives and is large', async () => {
  const { backend } = joiningBackend()
  const [here, elsewhere] = [createSessionStore(backend), createSessionStore(createMemoryBackend())]
  await elsewhere.append('s', say(1))
  await receive(here, elsewhere)
  await here.append('s', say(1))
  await elsewhere.append('s', say(5000))
  await receive(here, elsewhere)
  expect(await readSmall(backend, 's')).toBeLessThan(recordCapacity)
  expect((await here.read('s', { last: 3 })).entries).toHaveLength(3)
})
