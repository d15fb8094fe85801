import { expect, it, onTestFinished, vi } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import { eraseExpired } from '../../../src/dialects/aixgo/manager/erase-expired.ts'
import { memoryStore } from '../../agent/support/memory-store.ts'
import { createProfile } from '../support/open-port-client.ts'

const hello = [{ type: 'message', message: { role: 'user', content: 'Hello' } }] as const
const nobody = { term: 0, holder: '', beat: 0 }

it.each<[string, () => Promise<SessionStore | SessionClient>]>([
  ['a client', () => createProfile().open({ name: 'swept' })],
  ['a bare store', async () => memoryStore()],
])('erases what is over by itself, again and again, over %s', async (_, open) => {
  const given = await open()
  const store = 'session' in given ? given.store : given
  const manager = createSessionManager(given, { ttl: 1, sweepInterval: '20ms' })
  for (const key of ['s', 't']) {
    await store.append(key, hello)
    await expect.poll(() => store.getMeta(key)).toBeUndefined()
  }
  await manager.close()
})

it('is swept by the tab that leads, and by no other', async () => {
  const profile = createProfile()
  const [leader, other] = [await profile.open({ name: 'swept by one' }), await profile.open({ name: 'swept by one' })]
  await leader.lead(() => undefined)
  const manager = createSessionManager(other, { ttl: 1, sweepInterval: '1ms' })
  await leader.store.append('s', hello)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await leader.store.getMeta('s')).toBeDefined()
  await leader.close()
  await expect.poll(() => other.store.getMeta('s')).toBeUndefined()
  await manager.close()
})

it('leaves a session as it was when another tab leads by now, also when that happens in the middle', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const store = memoryStore()
  await store.claimTerm({ after: nobody, next: { term: 1, holder: 'a', beat: 0 } })
  await store.append('s', hello)
  const overtaken: SessionStore = {
    ...store,
    purge: async (key, options) => {
      await store.claimTerm({ after: await store.claimTerm(), next: { term: 2, holder: 'b', beat: 0 } })
      return store.purge(key, options)
    },
  }
  // The first time it is found out at the end, the second time at once.
  for (const one of [overtaken, store]) {
    // What brings a session back makes it new as well.
    vi.setSystemTime(Date.now() + 5)
    await expect(eraseExpired(one, 's', { name: 'overtaken', ttl: 1, term: 1 })).rejects.toMatchObject({
      name: 'NotLeader',
    })
    expect(await store.getMeta('s')).toMatchObject({ messageCount: 1 })
    expect((await store.getMeta('s'))?.deletedAt).toBeUndefined()
  }
  expect(await eraseExpired(store, 's', { name: 'overtaken', ttl: 1, term: 2 })).toBe(true)
})

it('refuses an interval that is none', () => {
  expect(() => createSessionManager(memoryStore(), { sweepInterval: 'often' })).toThrow(
    expect.objectContaining({ name: 'InvalidInput' }),
  )
})
