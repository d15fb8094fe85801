import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { WriteBatch } from '../../../src/contract/write-batch.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, say } from '../../../src/testing/helpers.ts'

const name = 'tel:1'

/** A device that gets these sessions from another one, in this order. */
async function deviceWith(from: SessionStore, keys: readonly string[]): Promise<SessionStore> {
  const store = createSessionStore(createMemoryBackend())
  for (const key of keys)
    await store.merge(key, (await from.changes(key, {}, undefined, { isKey: true })).entries, { isKey: true })
  return store
}

it('leaves a name with the session that claimed it first, though the clock was set back before the other one did', async () => {
  let time = 2_000_000_000_000
  const store = createSessionStore(createMemoryBackend(), { now: () => time })
  await store.ensureSessionMetadata('first', undefined, [name])
  time -= 86_400_000
  await store.ensureSessionMetadata('second', undefined, ['b:2'])
  expect((await store.ensureSessionMetadata('second', undefined, [name])).conflicts).toEqual([name])
  for (const order of [
    ['first', 'second'],
    ['second', 'first'],
  ])
    expect([order, await (await deviceWith(store, order)).resolveSessionKey(name)]).toEqual([order, 'first'])
  expect((await store.verify()).problems).toEqual([])
})

it('moves no clock for a name that a session has claimed before', async () => {
  const store = createSessionStore(createMemoryBackend())
  await store.ensureSessionMetadata('first', undefined, [name])
  await store.ensureSessionMetadata('second', undefined, [name])
  const before = await allChanges(store, 'second')
  await store.ensureSessionMetadata('second', undefined, [name])
  expect(await allChanges(store, 'second')).toEqual(before)
})

it('gives the name of a deleted log to the session that claims it, whichever of them came first', async () => {
  const other = createSessionStore(createMemoryBackend())
  await say(other, 'plain', ['a'])
  await other.ensureSessionMetadata('gave up', undefined, ['plain'])
  await other.updateMeta('gave up', { aliases: [] })
  const log = (await other.changes('plain', {}, undefined, { isKey: true })).entries
  const deleting = await deviceWith(other, ['plain', 'gave up'])
  await deleting.delete('plain')
  const claiming = createSessionStore(createMemoryBackend())
  await claiming.ensureSessionMetadata('new', undefined, ['plain'])
  const sessions = new Map([
    [
      'plain',
      [
        ...log,
        ...(await deleting.changes('plain', {}, undefined, { isKey: true })).entries.filter(
          ({ type }) => type === 'delete',
        ),
      ],
    ],
    ['gave up', (await deleting.changes('gave up', {}, undefined, { isKey: true })).entries],
    ['new', await allChanges(claiming, 'new')],
  ])
  const owners = new Set<string>()
  for (const order of [
    ['plain', 'gave up', 'new'],
    ['new', 'plain', 'gave up'],
    ['new', 'gave up', 'plain'],
    ['gave up', 'plain', 'new'],
  ]) {
    const store = createSessionStore(createMemoryBackend())
    for (const key of order) await store.merge(key, sessions.get(key)!, { isKey: true })
    owners.add(await store.resolveSessionKey('plain'))
  }
  expect([...owners]).toEqual(['new'])
})

it('leads a name to the session that took its log over, though a crash came before that was noted', async () => {
  const first = createSessionStore(createMemoryBackend())
  await say(first, 'plain', ['a'])
  await first.ensureSessionMetadata('new', undefined, ['plain'])
  const commits: WriteBatch[] = []
  const memory = createMemoryBackend()
  // Dies before the second half of the merge, which notes whose the name is.
  const dying = createSessionStore({
    ...memory,
    commit: async (batch, durability) => {
      if (commits.length === 2) throw new Error('the device crashed')
      commits.push(structuredClone(batch))
      return memory.commit(batch, durability)
    },
  })
  await dying.merge('plain', (await first.changes('plain', {}, undefined, { isKey: true })).entries, { isKey: true })
  await dying.merge('new', await allChanges(first, 'new'), { isKey: true }).catch(() => undefined)
  expect(await memory.findAlias('plain')).toBeUndefined()
  const after = createSessionStore(memory)
  expect(await after.resolveSessionKey('plain')).toBe('new')
  await say(after, 'plain', ['b'])
  expect((await after.getHistory('new')).map(({ content }) => content)).toContain('b')
})
