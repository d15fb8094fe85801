import { describe, expect, it } from 'vitest'
import { inOneTab } from '../../../src/client/retention/in-one-tab.ts'
import { planRetention } from '../../../src/client/retention/plan-retention.ts'
import { retain } from '../../../src/client/retention/retain.ts'
import { retainOnce } from '../../../src/client/retention/retain-once.ts'
import type { RetentionPolicy } from '../../../src/client/retention/retention-policy.ts'
import { createChangeFeed } from '../../../src/client/session/change-feed.ts'
import { holdInUse } from '../../../src/client/session/in-use.ts'
import type { NoticeChange } from '../../../src/contract/change.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { SessionUsage } from '../../../src/contract/store/store-upkeep.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { say, transcript } from '../../../src/testing/helpers.ts'

const day = 86_400_000
const name = (): string => `retention-${crypto.randomUUID()}`

function session(key: string, more: Partial<SessionUsage> = {}): SessionUsage {
  return { key, title: key, bytes: 100, entries: 1, updatedAt: 0, archived: false, tags: [], ...more }
}

const keys = (sessions: readonly SessionUsage[], policy: RetentionPolicy, now = 100 * day): unknown =>
  planRetention(sessions, policy, now).chosen.map(({ session: { key }, reason }) => [key, reason])

describe('a plan', () => {
  it('takes archived sessions first, then those nobody wrote to for longest', () => {
    const sessions = [
      session('new', { updatedAt: 9 }),
      session('old', { updatedAt: 1 }),
      session('archived', { updatedAt: 8, archived: true }),
      session('older', { updatedAt: 0 }),
    ]
    expect(keys(sessions, { maxSessions: 1, action: 'delete' })).toEqual([
      ['archived', 'sessions'],
      ['older', 'sessions'],
      ['old', 'sessions'],
    ])
    expect(keys(sessions, { maxBytes: 250, action: 'delete' })).toEqual([
      ['archived', 'bytes'],
      ['older', 'bytes'],
    ])
  })

  it('counts each limit on what the ones before leave', () => {
    const sessions = [
      session('a', { updatedAt: 0, bytes: 900 }),
      session('b', { updatedAt: 95 * day }),
      session('c', { updatedAt: 96 * day }),
    ]
    expect(keys(sessions, { maxAgeMs: 50 * day, maxSessions: 2, maxBytes: 200, action: 'delete' })).toEqual([
      ['a', 'age'],
    ])
  })

  it('does not count what was deleted, and purges it when its time is over, first', () => {
    const sessions = [
      session('a', { updatedAt: 1 }),
      session('gone', { deletedAt: 60 * day, bytes: 10_000 }),
      session('just gone', { deletedAt: 99 * day }),
    ]
    expect(keys(sessions, { maxSessions: 1, maxBytes: 200, action: 'delete' })).toEqual([])
    expect(keys(sessions, { maxSessions: 0, action: 'delete', purgeDeletedAfterMs: 30 * day })).toEqual([
      ['gone', 'deleted'],
      ['a', 'sessions'],
    ])
  })

  it('does not archive what is archived', () => {
    const sessions = [
      session('a', { updatedAt: 1 }),
      session('b', { updatedAt: 2 }),
      session('archived', { archived: true }),
    ]
    expect(keys(sessions, { maxSessions: 1, maxAgeMs: 99 * day, action: 'archive' }, day)).toEqual([['a', 'sessions']])
  })

  it('lets pinned sessions stay, and takes the next', () => {
    const sessions = [
      session('a', { tags: ['pinned'] }),
      session('b', { updatedAt: 1 }),
      session('c', { updatedAt: 2 }),
    ]
    const plan = planRetention(sessions, { maxSessions: 2, action: 'delete' }, 0)
    expect([plan.chosen.map(({ session: { key } }) => key), plan.pinned]).toEqual([['b'], ['a']])
  })
})

async function openStore(...sessionKeys: readonly string[]): Promise<SessionStore> {
  let time = 0
  const store = createSessionStore(createMemoryBackend(), { now: () => ++time })
  for (const key of sessionKeys) await say(store, key, [`in ${key}`])
  return store
}

describe('a run', () => {
  it('deletes behind tombstones, and says what it did', async () => {
    const store = await openStore('a', 'b', 'c')
    const report = await retain(store, { maxSessions: 1, action: 'delete' }, { name: name() })
    expect(report).toMatchObject({
      dryRun: false,
      done: [{ key: 'a', action: 'delete', reason: 'sessions' }, { key: 'b' }],
      kept: [],
      failed: [],
    })
    expect((await store.listSessions()).sessions.map(({ key }) => key)).toEqual(['c'])
    await store.undelete('a')
    expect(await transcript(store, 'a')).toEqual(['in a'])
  })

  it('changes nothing when it is dry', async () => {
    const store = await openStore('a', 'b')
    await store.delete('b')
    const report = await retain(
      store,
      { maxSessions: 0, action: () => Promise.reject(new Error('must not be asked')), purgeDeletedAfterMs: 0 },
      { name: name(), dryRun: true },
    )
    expect(report.done.map(({ key, action }) => [key, action])).toEqual([
      ['b', 'purge'],
      ['a', 'asked'],
    ])
    expect((await store.listSessions()).total + (await store.listSessions({ deleted: true })).total).toBe(2)
  })

  it('takes no more turns for many sessions than for a few when it is dry', async () => {
    const turnsOf = async (count: number): Promise<number> => {
      const largest = Array.from({ length: count }, (_, i) => ({
        key: `s${i}`,
        title: '',
        bytes: 1,
        entries: 1,
        updatedAt: i,
        archived: false,
        tags: [],
      }))
      const store = { usage: () => Promise.resolve({ largest }) } as unknown as SessionStore
      let turns = 0
      let found = -1
      void retain(store, { maxSessions: 0, action: 'archive' }, { name: name(), dryRun: true }).then(
        ({ done }) => (found = done.length),
      )
      for (; found < 0; turns++) await Promise.resolve()
      expect(found).toBe(count)
      return turns
    }
    expect(await turnsOf(1000)).toBe(await turnsOf(10))
  })

  it('does not purge what is brought back while it is at it', async () => {
    const store = await openStore('a')
    await store.delete('a')
    const late: SessionStore = {
      ...store,
      purge: async (...args) => store.undelete('a').then(() => store.purge(...args)),
    }
    expect(await retain(late, { purgeDeletedAfterMs: 0 }, { name: name() })).toMatchObject({
      done: [],
      kept: [{ key: 'a', reason: 'changed' }],
      failed: [],
    })
    expect(await transcript(store, 'a')).toEqual(['in a'])
  })

  it('archives, compacts and purges', async () => {
    const store = await openStore('a', 'b', 'c')
    await store.truncateHistory('b', 0)
    await store.delete('c')
    expect(
      (await retain(store, { maxSessions: 0, action: 'compact' }, { name: name() })).done.map(({ key }) => key),
    ).toEqual(['b'])
    expect(
      (await retain(store, { maxSessions: 1, action: 'archive', purgeDeletedAfterMs: 0 }, { name: name() })).done.map(
        ({ key, action }) => [key, action],
      ),
    ).toEqual([
      ['c', 'purge'],
      ['a', 'archive'],
    ])
    expect((await store.listSessions({ archived: true })).sessions.map(({ key }) => key)).toEqual(['a'])
    expect((await store.listSessions({ deleted: true })).total).toBe(0)
  })

  it('asks a function for each, which may export first, and keeps the session when it fails', async () => {
    const store = await openStore('a', 'b', 'c')
    const exported: unknown[] = []
    const action: RetentionPolicy['action'] = async ({ key }) => {
      if (key === 'b') throw new Error('The disk is full.')
      exported.push(await transcript(store, key))
      return key === 'a' ? 'delete' : 'keep'
    }
    const report = await retain(store, { maxSessions: 0, action }, { name: name() })
    expect(report).toMatchObject({
      done: [{ key: 'a', action: 'delete' }],
      kept: [{ key: 'c', reason: 'asked' }],
      failed: [{ key: 'b', message: 'The disk is full.' }],
    })
    expect(exported).toEqual([['in a'], ['in c']])
  })

  it('refuses what a function gives that is no action', async () => {
    const store = await openStore('a')
    const report = await retain(store, { maxSessions: 0, action: (() => 'burn') as never }, { name: name() })
    expect(report.failed).toMatchObject([{ key: 'a' }])
    expect((await store.listSessions()).total).toBe(1)
  })

  it('leaves sessions alone that are in use, streamed into, pinned, or written to meanwhile', async () => {
    const database = name()
    const store = await openStore('used', 'streamed', 'pinned', 'written', 'idle')
    await store.updateMeta('pinned', { tags: ['pinned'] })
    await store.openDraft('streamed', { role: 'assistant' })
    const use = holdInUse(database, 'used')
    await use.ready
    const action = async ({ key }: SessionUsage): Promise<'delete'> => {
      if (key === 'written') await say(store, key, ['more'])
      return 'delete'
    }
    const report = await retain(store, { maxSessions: 0, action }, { name: database })
    expect(report.done.map(({ key }) => key)).toEqual(['idle'])
    expect(Object.fromEntries(report.kept.map(({ key, reason }) => [key, reason]))).toEqual({
      pinned: 'pinned',
      used: 'in use',
      streamed: 'in use',
      written: 'changed',
    })
    use.end()
    expect(
      (await retain(store, { maxSessions: 3, action: 'delete' }, { name: database })).done.map(({ key }) => key),
    ).toEqual(['used'])
  })

  it('leaves a session alone that was opened by a name which became its alias, and no other one that lists it', async () => {
    const database = name()
    const store = await openStore('named', 'idle')
    const use = holdInUse(database, 'chat')
    await use.ready
    await store.ensureSessionMetadata('named', undefined, ['chat'])
    await store.ensureSessionMetadata('idle', undefined, ['chat'])
    const report = await retain(store, { maxSessions: 0, action: 'delete' }, { name: database })
    expect(report.done.map(({ key }) => key)).toEqual(['idle'])
    expect(report.kept).toEqual([{ key: 'named', reason: 'in use' }])
    use.end()
  })

  it.each([
    [{ maxSessions: -1, action: 'delete' }],
    [{ maxAgeMs: '1', action: 'delete' }],
    [{ maxSessions: 1 }],
    [{ maxSessions: 1, action: 'burn' }],
    [{ maxBytes: 1, action: 'archive' }],
    [null],
  ])('refuses %j as a policy', async (policy) => {
    await expect(retain(await openStore('a'), policy as never, { name: name() })).rejects.toMatchObject({
      name: 'InvalidInput',
    })
  })
})

describe('of several tabs', () => {
  it('one does it, and tells of it', async () => {
    const feed = createChangeFeed()
    const notices: NoticeChange[] = []
    feed.subscribe((change) => void (change.type === 'notice' && notices.push(change)))
    const place = { store: await openStore('a', 'b'), name: name(), feed }
    let release: () => void = () => undefined
    const other = inOneTab(
      `keepsession:${place.name}:retention`,
      () => new Promise<void>((resolve) => (release = resolve)),
    )
    await new Promise((resolve) => setTimeout(resolve))
    expect(await retainOnce(place, { maxSessions: 0, action: 'delete' })).toMatchObject({ isBusy: true, done: [] })
    release()
    await other
    expect(await retainOnce(place, { maxSessions: 0, action: 'delete' })).toMatchObject({
      isBusy: false,
      done: [{ key: 'a' }, { key: 'b' }],
    })
    expect(notices).toMatchObject([{ name: 'retained', keys: ['a', 'b'] }])
  })
})
