import { IDBKeyRange } from 'fake-indexeddb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { createStoreJobs } from '../../src/client/worker/store-jobs.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import type { Entry } from '../../src/contract/entry.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { damageFirstInIndexedDb } from '../store/support/damage-first-record.ts'
import { createProfile, type Profile } from './support/open-port-client.ts'

const name = 'jobs'
const clients: SessionClient[] = []
async function open(
  profile: Profile = createProfile(),
  onChange?: (change: StoreChange) => void,
): Promise<{ readonly client: SessionClient; readonly profile: Profile }> {
  const client = await profile.open({ name, ...(onChange === undefined ? {} : { onChange }) })
  clients.push(client)
  return { client, profile }
}
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const client of clients.splice(0)) await client.close()
})

/** What another device has of a session. */
async function entriesElsewhere(key: string, texts: readonly string[]): Promise<readonly Entry[]> {
  const device = createSessionStore(createMemoryBackend())
  for (const text of texts) await device.addMessage(key, 'user', text)
  return (await device.changes(key)).entries
}
const history = async (store: SessionStore, key: string) => (await store.getHistory(key)).map(({ content }) => content)
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`)

describe('jobs of a store in a worker', () => {
  it('are done by a worker of their own, which is started for the first and kept for the next', async () => {
    const { client, profile } = await open()
    await client.store.addMessage('k', 'user', 'a')
    expect(profile.jobWorkers).toHaveLength(0)
    expect(
      await Promise.all([
        client.store.verify('k'),
        client.store.usage('k'),
        client.store.repair('k'),
        client.store.reclaim('k'),
        client.store.save('k'),
        client.store.merge('k', []),
      ]),
    ).toMatchObject([{ entries: 1, problems: [] }, { entries: 1 }, { repaired: 0 }, 0, undefined, { added: 0 }])
    await client.store.verify()
    expect(profile.workers).toHaveLength(1)
    expect(profile.jobWorkers).toHaveLength(1)
    const asked = new Set(profile.workers[0]!.received.flatMap(methodsIn))
    expect(asked).toEqual(new Set(['addMessage', 'fold']))
  })

  it('copy what they are given at the time of the call', async () => {
    const { client } = await open()
    const entries = [...(await entriesElsewhere('k', ['a']))]
    const merging = client.store.merge('k', entries)
    entries.length = 0
    expect(await merging).toMatchObject({ added: 1 })
  })

  it('are known to the next read, also of a session and a list that were at hand', async () => {
    // What the worker of the store hears from the other tabs may come late: here it never comes.
    vi.stubGlobal(
      'BroadcastChannel',
      class {
        postMessage(): void {}
        close(): void {}
      },
    )
    const { client } = await open()
    await client.store.addMessage('k', 'user', 'here')
    const counts = async () => [
      (await client.store.getMeta('k'))?.messageCount,
      (await client.listSessions()).sessions[0]?.messageCount,
    ]
    expect(await counts()).toEqual([1, 1])
    await client.store.merge('k', await entriesElsewhere('k', ['there']))
    expect(await counts()).toEqual([2, 2])
    expect(new Set(await history(client.store, 'k'))).toEqual(new Set(['here', 'there']))
  })

  it('are told to the live queries of the page before they resolve', async () => {
    const changes: StoreChange[] = []
    const { client } = await open(createProfile(), (change) => changes.push(change))
    await client.store.merge('k', await entriesElsewhere('k', ['a', 'b']))
    expect(changes).toContainEqual(
      expect.objectContaining({ type: 'session', key: 'k', listing: expect.objectContaining({ messageCount: 2 }) }),
    )
  })

  it('mend what the store had at hand', async () => {
    const { client, profile } = await open()
    await client.store.append(
      'k',
      numbered(300).map((content) => ({ type: 'message', message: { role: 'user', content } })),
    )
    expect(await history(client.store, 'k')).toHaveLength(300)
    await damageFirstInIndexedDb(profile.indexedDB, IDBKeyRange, name, 'k')
    const { problems } = await client.store.verify('k')
    expect(problems.length).toBeGreaterThan(0)
    expect((await client.store.repair('k')).repaired).toBeGreaterThan(0)
    // From the rows at hand, the store would still count 300.
    expect((await client.store.getMeta('k'))?.messageCount).toBe((await history(client.store, 'k')).length)
    expect((await client.store.getMeta('k'))?.messageCount).toBeLessThan(300)
  })

  it('are loaded again after that failed once', async () => {
    let attempts = 0
    const { client } = await open(
      createProfile(() => {
        if (attempts++ === 0) throw new Error('offline')
      }),
    )
    await expect(client.store.verify()).rejects.toThrow('offline')
    expect(await client.store.verify()).toMatchObject({ sessions: 0 })
    expect(attempts).toBe(2)
  })

  it('do not keep a store from closing when they can not be loaded', async () => {
    const { client } = await open(
      createProfile(() => {
        throw new Error('offline')
      }),
    )
    const job = client.store.verify().catch((error: Error) => error.message)
    await client.close()
    expect(await job).toBe('offline')
  })

  it('settle before the store is closed', async () => {
    const { client, profile } = await open()
    let report: unknown
    void client.store.merge('k', await entriesElsewhere('k', numbered(50))).then((result) => (report = result))
    await client.close()
    expect(report).toMatchObject({ added: 50 })
    await expect(client.store.verify()).rejects.toMatchObject({ name: 'StorageClosed' })
    expect(await history((await open(profile)).client.store, 'k')).toHaveLength(50)
  })
})

describe('a store in a worker whose code on the page can not be loaded', () => {
  it('does not open, says why, and leaves no worker running', async () => {
    const profile = createProfile()
    profile.failLoading = new Error('offline')
    await expect(open(profile)).rejects.toThrow('offline')
    await vi.waitFor(() => expect(profile.workers.map(({ isEnded }) => isEnded())).toEqual([true]))
  })

  it('opens once it can be loaded', async () => {
    const profile = createProfile()
    profile.failLoading = new Error('offline')
    await expect(open(profile)).rejects.toThrow('offline')
    profile.failLoading = undefined
    const { client } = await open(profile)
    expect(await client.store.verify()).toMatchObject({ sessions: 0 })
  })
})

describe('a store that follows others', () => {
  /** Two stores on one place; the second hears only what it is told. */
  function createPair() {
    const backend = createMemoryBackend()
    const changes: StoreChange[] = []
    const first = createSessionStore(backend, { onChange: (change) => changes.push(change) })
    let tell: (change: StoreChange) => void = () => undefined
    const second = createSessionStore(backend, { follow: (listener) => void (tell = listener) })
    return { first, second, changes, tell: (change: StoreChange) => tell(change) }
  }
  const countIn = async (store: SessionStore) => (await store.listSessions()).sessions[0]?.messageCount

  it('passes over news that is older than what its list shows', async () => {
    const { first, second, changes, tell } = createPair()
    await first.addMessage('k', 'user', 'a')
    await second.listSessions()
    await second.addMessage('k', 'user', 'b')
    expect(await countIn(second)).toBe(2)
    tell(changes[0]!)
    expect(await countIn(second)).toBe(2)
  })

  it('lists a session again that was erased and begun anew', async () => {
    const { first, second, changes, tell } = createPair()
    for (const text of ['a', 'b', 'c']) await first.addMessage('k', 'user', text)
    expect(await countIn(second)).toBe(3)
    await first.purge('k')
    await first.addMessage('k', 'user', 'new')
    changes.slice(3, 4).forEach(tell)
    expect(await countIn(second)).toBeUndefined()
    changes.slice(4).forEach(tell)
    expect(await countIn(second)).toBe(1)
  })

  it('reads everything anew after a worker died that may not have told what it stored', async () => {
    const { first, second, tell } = createPair()
    await first.addMessage('k', 'user', 'a')
    expect([(await second.getMeta('k'))?.messageCount, await countIn(second)]).toEqual([1, 1])
    await first.addMessage('k', 'user', 'untold')
    tell({ type: 'notice', name: 'workerRestarted', message: '' })
    expect([(await second.getMeta('k'))?.messageCount, await countIn(second)]).toEqual([2, 2])
  })
})

describe('what does the jobs', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('ends its store when no job came for a while, and opens one for the next', async () => {
    let opened = 0
    let closed = 0
    const jobs = createStoreJobs(async () => {
      opened++
      const store = createSessionStore(createMemoryBackend())
      return { ...store, close: async () => void closed++ }
    })
    await jobs.run('verify', [])
    await vi.advanceTimersByTimeAsync(9_000)
    await jobs.run('verify', [])
    await vi.advanceTimersByTimeAsync(9_000)
    expect([opened, closed]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(2_000)
    expect([opened, closed]).toEqual([1, 1])
    await jobs.run('verify', [])
    expect([opened, closed]).toEqual([2, 1])
    await jobs.close()
    expect(closed).toBe(2)
  })

  it('tries again after a store that could not be opened', async () => {
    let attempts = 0
    const jobs = createStoreJobs(async () => {
      if (attempts++ === 0) throw new Error('locked')
      return createSessionStore(createMemoryBackend())
    })
    await expect(jobs.run('verify', [])).rejects.toThrow('locked')
    expect(await jobs.run('verify', [])).toMatchObject({ sessions: 0 })
    await jobs.close()
  })
})

/** The methods that a message to a worker calls. */
function methodsIn(message: unknown): readonly string[] {
  const { path = [], argumentList = [] } = message as {
    readonly path?: readonly string[]
    readonly argumentList?: readonly { readonly value: unknown }[]
  }
  if (path[0] !== 'batch') return path
  return (argumentList[0]!.value as readonly { readonly method: string }[]).map(({ method }) => method)
}
