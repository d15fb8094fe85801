import { expect, it } from 'vitest'
import type { ChangeSink, StoreChange } from '../../../src/contract/change.ts'
import type { SessionListing } from '../../../src/contract/meta.ts'
import type { ListQuery } from '../../../src/contract/store/session-metadata.ts'
import { createCoreStore } from '../../../src/storage/core-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { ListedRows } from '../../../src/storage/engine/metadata/listed-rows.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

it('reads what came while an outdated list was still being read', async () => {
  const backend = createMemoryBackend()
  const other = createSessionStore(backend, { onChange: (change) => news.push(change) })
  const news: StoreChange[] = []
  // Each reading of the list takes until it is let go.
  const readings: (() => void)[] = []
  const slow = {
    ...backend,
    listSessions: async () => {
      const rows = await backend.listSessions()
      await new Promise<void>((resolve) => readings.push(resolve))
      return rows
    },
  }
  let hear: ChangeSink = () => undefined
  const store = createCoreStore(
    slow,
    { follow: (listener) => void (hear = listener) },
    () => ({}),
    async () => undefined,
  )
  const first = store.listSessions()
  await expect.poll(() => readings.length).toBe(1)
  hear({ type: 'notice', name: 'workerRestarted', message: '' })
  const second = store.listSessions()
  await expect.poll(() => readings.length).toBe(2)
  await other.addMessage('k', 'user', 'hello')
  news.forEach(hear)
  readings[0]!()
  await first
  readings[1]!()
  await second
  expect((await store.listSessions()).sessions.map(({ key }) => key)).toEqual(['k'])
})

it('reads from storage what it has not heard of yet, where it is asked to', async () => {
  const backend = createMemoryBackend()
  const other = createSessionStore(backend)
  const deaf = createCoreStore(
    backend,
    { follow: () => undefined },
    () => ({}),
    async () => undefined,
  )
  expect(await deaf.listSessions()).toMatchObject({ total: 0 })
  await other.addMessage('k', 'user', 'hello')
  expect(await deaf.listSessions()).toMatchObject({ total: 0 })
  expect(await deaf.listSessions({ fresh: true })).toMatchObject({ total: 1 })
  expect(await deaf.listSessions()).toMatchObject({ total: 1 })
})

it('keeps every list in its order, whatever changes', async () => {
  let time = 1000
  const store = createSessionStore(createMemoryBackend(), { now: () => time, follow: () => undefined })
  const queries: ListQuery[] = (['updated', 'created', 'title'] as const).flatMap((order) => [
    { order },
    { order, agentId: 'a' },
    { order, userId: 'ann', archived: false },
    { order, deleted: true },
    { order, title: 'b', limit: 2 },
  ])
  for (let i = 0; i < 90; i++) {
    time += (i * 7) % 3
    const key = `key-${(i * 5) % 11}`
    const step = i % 9
    if (step === 3) await store.updateMeta(key, { title: `${'cab'[i % 3]}${(i * 3) % 5}` })
    else if (step === 4) await store.updateMeta(key, { userId: i % 2 ? 'ann' : 'bob', agentId: i % 2 ? 'a' : 'b' })
    else if (step === 5) await store.updateMeta(key, { archived: i % 2 === 0 })
    else if (step === 6) await store.delete(key).catch(() => undefined)
    else if (step === 7) await store.undelete(key).catch(() => undefined)
    else if (step === 8) await store.purge(key)
    else await store.addMessage(key, 'user', `${'abc'[i % 3]} hello`)
    // More lists than are kept at once: some are sorted anew, the others are not.
    const asked = queries.filter((_, at) => (at + i) % 4 > 0)
    const kept = await Promise.all(asked.map((query) => store.listSessions(query)))
    if (i % 10 !== 9) continue
    for (const [at, query] of asked.entries())
      expect(kept[at], JSON.stringify(query)).toEqual(await store.listSessions({ ...query, fresh: true }))
  }
})

it('looks at a few sessions for a page and for a change, however many there are', () => {
  let looks = 0
  const listed = (i: number, updatedAt = i): SessionListing => ({
    key: `key-${i}`,
    title: '',
    titleSource: 'none',
    archived: false,
    tags: [],
    createdAt: i,
    get updatedAt() {
      looks++
      return updatedAt
    },
    messageCount: 0,
    tokenEstimate: 0,
  })
  const cost = (count: number): number => {
    const rows = new ListedRows()
    const page = (): readonly SessionListing[] =>
      rows.inOrder({ agentId: undefined, userId: undefined, archived: undefined, deleted: false, order: 'updated' })
    const put = (i: number, version: number, updatedAt?: number): unknown =>
      rows.put({ key: `key-${i}`, session: i, version, listing: listed(i, updatedAt) })
    for (let i = 0; i < count; i++) put(i, 1)
    expect(page()[0]).toMatchObject({ key: `key-${count - 1}` })
    looks = 0
    put(7, 2, count)
    expect(page().slice(0, 2)).toMatchObject([{ key: 'key-7' }, { key: `key-${count - 1}` }])
    return looks
  }
  expect(cost(10_000)).toBeLessThan(cost(100) + 50)
})
