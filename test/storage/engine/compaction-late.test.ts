import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, history, say } from '../../../src/testing/helpers.ts'

it('a compaction that takes in what came late does not show again what the one before hid', async () => {
  const [one, late] = [1, 2].map(() => createSessionStore(createMemoryBackend())) as [SessionStore, SessionStore]
  await say(one, 's', ['a'])
  await new Promise((resolve) => setTimeout(resolve, 3))
  await say(late, 's', ['late'])
  await new Promise((resolve) => setTimeout(resolve, 3))
  await say(one, 's', ['b', 'c'])
  await one.setCompaction('s', { summary: 'a to c', keepLast: 0 })
  await one.merge('s', await allChanges(late, 's'))
  await say(one, 's', ['d', 'e'])
  expect(await history(one, 's')).toEqual(['late', 'd', 'e'])
  await one.setCompaction('s', { summary: 'a to c, and late', keepLast: 2 })
  expect(await history(one, 's')).toEqual(['d', 'e'])
})
