import { afterEach, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { keepRetention } from '../../../src/client/retention/keep-retention.ts'
import { createChangeFeed } from '../../../src/client/session/change-feed.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

afterEach(() => void vi.useRealTimers())

it('tells who leads that another tab does by now, instead of leading on without a right to', async () => {
  const store = createSessionStore(createMemoryBackend())
  await store.append('k', [{ type: 'message', message: { role: 'user', content: 'q' } }])
  await store.claimTerm({ after: await store.claimTerm(), next: { term: 9, holder: 'another', beat: 0 } })
  vi.useFakeTimers()
  const notices: unknown[] = []
  const feed = createChangeFeed()
  feed.subscribe((change) => void notices.push(change))
  let outcome: unknown
  const lead: SessionClient['lead'] = async (work) => {
    const working = work(5, new AbortController().signal)
    Promise.resolve(working).catch((error: unknown) => (outcome = error))
    return working
  }
  keepRetention({ store, name: `kept-${Math.random()}`, feed }, { maxSessions: 0, action: 'archive' }, { lead })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(outcome).toMatchObject({ name: 'NotLeader' })
  expect(notices).toEqual([])
})
