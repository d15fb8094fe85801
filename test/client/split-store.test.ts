import { expect, it } from 'vitest'
import { createSplitStore } from '../../src/client/worker/split-store.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

async function open(): Promise<{ main: SessionStore; other: SessionStore; both: SessionStore }> {
  let time = Date.UTC(2026, 0, 1)
  const [main, other] = [0, 1].map(() => createSessionStore(createMemoryBackend(), { now: () => (time += 1000) })) as [
    SessionStore,
    SessionStore,
  ]
  for (let n = 0; n < 9; n++) await (n % 3 === 0 ? other : main).addMessage(`s${n}`, 'user', `title ${(n * 5) % 9}`)
  await main.addMessage('s0', 'user', 'the copy that is not worked on')
  await other.updateMeta('s3', { aliases: ['three'] })
  return { main, other, both: await createSplitStore(main, other, ['s0', 's3', 's6']) }
}

it('works on each session where it lives, by key and by alias', async () => {
  const { main, other, both } = await open()
  await both.addMessage('s0', 'user', 'a')
  await both.addMessage('three', 'user', 'b')
  await both.addMessage('s1', 'user', 'c')
  await both.addMessage('new', 'user', 'd')
  expect((await both.getHistory('s0')).map(({ content }) => content)).toEqual(['title 0', 'a'])
  expect((await other.getHistory('s3')).at(-1)?.content).toBe('b')
  expect((await main.getHistory('s1')).at(-1)?.content).toBe('c')
  expect((await main.getHistory('new')).at(-1)?.content).toBe('d')
  expect(await both.resolveSessionKey('three')).toBe('s3')
})

it.each(['updated', 'created', 'title'] as const)('lists both as one, page by page, by %s', async (order) => {
  const { both } = await open()
  const all = (await both.listSessions({ order })).sessions
  expect(all.map(({ key }) => key).toSorted()).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'])
  const values = all.map(
    ({ updatedAt, createdAt, title }) => ({ updated: -updatedAt, created: -createdAt, title })[order],
  )
  expect(values).toEqual(values.toSorted((a, b) => (a < b ? -1 : 1)))
  for (const limit of [1, 2, 4, 9]) {
    const found: string[] = []
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await both.listSessions({ order, limit, ...(cursor === undefined ? {} : { cursor }) })
      expect(page.sessions.length).toBeLessThanOrEqual(limit)
      found.push(...page.sessions.map(({ key }) => key))
      cursor = page.next
    }
    expect(found).toEqual(all.map(({ key }) => key))
  }
})

it('sums up both, and closes both', async () => {
  const { main, other, both } = await open()
  expect((await both.usage()).sessions).toBe(10)
  expect(await both.verify()).toMatchObject({ sessions: 10, problems: [] })
  expect(await both.repair('s3')).toMatchObject({ sessions: 1, repaired: 0 })
  await both.close()
  for (const store of [main, other]) await expect(store.getMeta('s1')).rejects.toMatchObject({ name: 'StorageClosed' })
})
