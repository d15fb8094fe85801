import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { Entry } from '../../../src/contract/entry.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, everything, history, refuses, say } from '../../../src/testing/helpers.ts'
import { createTabs } from './support/tabs.ts'

const old = 'tel:1'

/** What another device says that made a session of the name. */
async function promotedElsewhere(...names: readonly string[]): Promise<readonly Entry[]> {
  const store = createSessionStore(createMemoryBackend())
  await store.ensureSessionMetadata('new', undefined, names)
  return allChanges(store, 'new')
}

it.each([old, 'plain'])(
  'does an append under %s in the session that took its log over although the tab has not heard of it',
  async (name) => {
    const {
      tabs: [one, other],
      tell,
    } = createTabs(createMemoryBackend())
    await say(one, name, ['a'])
    tell()
    await say(other, name, ['b'])
    await one.merge('new', await promotedElsewhere(name), { isKey: true })
    await say(other, name, ['c'])
    expect(await history(one, 'new')).toEqual(['a', 'b', 'c'])
    tell()
    expect(await history(other, name)).toEqual(['a', 'b', 'c'])
  },
)

it('keeps a log within reach by its name when it can’t be taken over, and takes it over the next time', async () => {
  const memory = createMemoryBackend()
  let isFull = false
  const backend: StorageBackend = {
    ...memory,
    commit: async (batch, durability) => {
      if (isFull && batch.sessions.length > 1) throw new SessionError('QuotaExceeded', 'The disk is full.')
      return memory.commit(batch, durability)
    },
  }
  const store = createSessionStore(backend)
  await say(store, old, ['a'])
  const before = await everything(store, old)
  isFull = true
  const entries = await promotedElsewhere(old)
  await refuses(store.merge('new', entries, { isKey: true }), 'QuotaExceeded')
  expect(await everything(store, old)).toEqual(before)
  isFull = false
  await store.merge('new', entries, { isKey: true })
  expect([await store.resolveSessionKey(old), await history(store, old)]).toEqual(['new', ['a']])
})

it('writes nothing more when what was brought together comes again', async () => {
  const commits: number[] = []
  const memory = createMemoryBackend()
  const store = createSessionStore({
    ...memory,
    commit: async (batch, durability) => {
      commits.push(batch.sessions.length)
      return memory.commit(batch, durability)
    },
  })
  await say(store, old, ['a'])
  await say(store, 'b:2', ['b'])
  const entries = await promotedElsewhere(old, 'b:2')
  await store.merge('new', entries, { isKey: true })
  const logs = await Promise.all(
    [old, 'b:2', 'new'].map(
      async (key) => [key, (await store.changes(key, {}, undefined, { isKey: true })).entries] as const,
    ),
  )
  const before = commits.length
  for (const [key, log] of logs)
    expect(await store.merge(key, log, { isKey: true })).toMatchObject({ added: 0, refused: [] })
  expect(commits.length).toBe(before)
})

it('gives a name to no session that gives it up at the same moment', async () => {
  const store = createSessionStore(createMemoryBackend())
  const elsewhere = createSessionStore(createMemoryBackend())
  await say(elsewhere, old, ['a'])
  const said = await allChanges(elsewhere, old)
  await store.merge('new', await promotedElsewhere(old), { isKey: true })
  const claimed = await allChanges(store, 'new')
  await elsewhere.merge('new', claimed, { isKey: true })
  await elsewhere.updateMeta('new', { aliases: [] })
  const givenUp = await allChanges(elsewhere, 'new')
  await Promise.all([store.merge('new', givenUp, { isKey: true }), store.merge(old, said, { isKey: true })])
  expect((await store.getMeta('new'))?.aliases ?? []).toEqual([])
  expect([await store.resolveSessionKey(old), await history(store, old)]).toEqual([old, ['a']])
})

it('gives whoever hears that two sessions were brought together what they have by then', async () => {
  const asked: (readonly [key: string, had: Promise<unknown>])[] = []
  const store = createSessionStore(createMemoryBackend(), {
    onChange: (change) => {
      if (change.type === 'session') asked.push([change.key, store.getVector(change.key, { isKey: true })])
    },
  })
  const elsewhere = createSessionStore(createMemoryBackend())
  await say(store, old, ['a'])
  await elsewhere.merge(old, await allChanges(store, old), { isKey: true })
  await store.ensureSessionMetadata('new', undefined, [old])
  // From now on it has both of them in memory.
  for (const key of ['new', old]) await store.getVector(key, { isKey: true })
  await say(elsewhere, old, ['b'])
  asked.length = 0
  await store.merge(old, await allChanges(elsewhere, old), { isKey: true })
  expect(asked.map(([key]) => key).sort()).toEqual(['new', old])
  for (const [key, had] of asked) expect(await had).toEqual(await store.getVector(key, { isKey: true }))
})
