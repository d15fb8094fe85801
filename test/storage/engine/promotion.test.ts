import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { everything, history, refuses, say } from '../../../src/testing/helpers.ts'
import { createTabs } from './support/tabs.ts'

const old = 'agent:main:direct:42'

it('changes neither session when the promotion can’t be stored', async () => {
  const memory = createMemoryBackend()
  let isFull = false
  const backend: StorageBackend = {
    ...memory,
    commit: async (batch, durability) => {
      if (isFull) throw new SessionError('QuotaExceeded', 'The disk is full.')
      return memory.commit(batch, durability)
    },
  }
  const store = createSessionStore(backend)
  await say(store, old, ['a'])
  const before = await everything(store, old)
  isFull = true
  await refuses(store.ensureSessionMetadata('new', undefined, [old]), 'QuotaExceeded')
  expect(await everything(store, old)).toEqual(before)
  expect([await store.getMeta('new'), await store.resolveSessionKey(old)]).toEqual([undefined, old])
  isFull = false
  expect((await store.ensureSessionMetadata('new', undefined, [old])).promoted).toBe(old)
  expect(await history(store, old)).toEqual(['a'])
})

it.each([old, 'plain'])(
  'does an append under %s in the new session although the tab has not heard of the promotion',
  async (name) => {
    const {
      tabs: [one, other],
      tell,
    } = createTabs(createMemoryBackend())
    await say(one, name, ['a'])
    tell()
    await say(other, name, ['b'])
    await one.ensureSessionMetadata('new', undefined, [name])
    await say(other, name, ['c'])
    expect(await history(one, 'new')).toEqual(['a', 'b', 'c'])
    expect(await history(other, name)).toEqual(['a', 'b', 'c'])
  },
)

it('hears of aliases that change hands in another tab', async () => {
  const {
    tabs: [one, other],
    tell,
  } = createTabs(createMemoryBackend())
  await say(one, 'a:1', ['in a:1'])
  await say(one, 'b', ['in b'])
  expect(await other.resolveSessionKey('a:1')).toBe('a:1')
  await one.ensureSessionMetadata('b', undefined, ['a:1', 'x'])
  tell()
  expect([await other.resolveSessionKey('a:1'), await other.resolveSessionKey('x')]).toEqual(['b', 'b'])
  await one.purge('b')
  tell()
  expect([await other.resolveSessionKey('a:1'), await other.resolveSessionKey('x')]).toEqual(['a:1', 'x'])
})

it('looks nothing up for a key it knows, whatever its characters', async () => {
  const memory = createMemoryBackend()
  const asked: string[] = []
  const note =
    <Args extends unknown[], Result>(name: string, method: (...args: Args) => Result) =>
    (...args: Args): Result => {
      asked.push(name)
      return method(...args)
    }
  const backend = {
    ...memory,
    findAlias: note('findAlias', memory.findAlias),
    loadSession: note('loadSession', memory.loadSession),
  }
  const {
    tabs: [store],
  } = createTabs(backend)
  for (const key of ['sk_v1_x', 'agent:main:direct:1', 'agent:main:main']) {
    await say(store, key, ['a'])
    await say(store, key, ['b'])
    asked.length = 0
    await say(store, key, ['c'])
    expect(asked).toEqual([])
  }
})
