import { expect, it } from 'vitest'
import type { ChangeSink, StoreChange } from '../../../src/contract/change.ts'
import { createCoreStore } from '../../../src/storage/core-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
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
