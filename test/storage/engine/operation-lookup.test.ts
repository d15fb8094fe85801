import { describe, expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { say } from '../../../src/testing/helpers.ts'

/** A memory backend that notes the names of the methods that are called. */
function notedBackend() {
  const called: string[] = []
  const backend = Object.fromEntries(
    Object.entries(createMemoryBackend()).map(([name, member]) => [
      name,
      typeof member === 'function'
        ? (...args: unknown[]) => (called.push(name), (member as (...given: unknown[]) => unknown)(...args))
        : member,
    ]),
  ) as unknown as StorageBackend
  return { backend, callsOf: async (act: () => Promise<unknown>) => (called.splice(0), await act(), called.splice(0)) }
}

it('stores 2,000 appends of one commit once, although its answer was lost', async () => {
  const backend = createMemoryBackend()
  let isLost = false
  const store = createSessionStore({
    ...backend,
    commit: async (...given) => {
      const outcome = await backend.commit(...given)
      if (!isLost) return outcome
      isLost = false
      throw new Error('The connection was lost after the commit.')
    },
  })
  await say(store, 's', ['first'], { operationId: 'first' })
  isLost = true
  await Promise.all(
    Array.from({ length: 2000 }, (_, i) => say(store, 's', ['a'], { operationId: `mine ${i}`, durability: 'relaxed' })),
  )
  expect((await store.getMeta('s'))?.messageCount).toBe(2001)
})

describe('an append', () => {
  it('asks the backend for the same after 1,000 other sessions were touched as before', async () => {
    const { backend, callsOf } = notedBackend()
    const store = createSessionStore(backend, {
      isFreshOperation: (id) => id.startsWith('mine.'),
      follow: () => undefined,
    })
    let count = 0
    const append = (): Promise<unknown> => say(store, 's', ['a'], { operationId: `mine.${count++}` })
    for (let i = 0; i < 20; i++) await append()
    const before = await callsOf(append)
    for (let i = 0; i < 1000; i++) await say(store, `other ${i}`, ['b'], { operationId: `mine.${count++}` })
    // Its rows went with the least recently used sessions.
    await append()
    expect(await callsOf(append)).toEqual(before)
    expect(before).toEqual(['commit'])
  })

  it('under an id that others may know asks for that id alone', async () => {
    const { backend, callsOf } = notedBackend()
    const store = createSessionStore(backend, { follow: () => undefined })
    for (let i = 0; i < 20; i++) await say(store, 's', ['a'], { operationId: `theirs ${i}` })
    expect(await callsOf(() => say(store, 's', ['a'], { operationId: 'theirs 20' }))).toEqual([
      'findOperation',
      'commit',
    ])
  })

  it('is known by the writer that stored it after 1,000 other sessions were touched', async () => {
    const { backend } = notedBackend()
    const store = createSessionStore(backend, { isFreshOperation: () => true, follow: () => undefined })
    const first = await say(store, 's', ['a'], { operationId: 'mine' })
    for (let i = 0; i < 1000; i++) await say(store, `other ${i}`, ['b'], { operationId: `mine ${i}` })
    for (let i = 0; i < 10; i++) await say(store, 's', ['b'], { operationId: `again ${i}` })
    expect(await say(store, 's', ['a'], { operationId: 'mine' })).toEqual(first)
  })

  it('of many entries leaves nothing in the hot row that grows with them', async () => {
    const { backend } = notedBackend()
    const store = createSessionStore(backend)
    await say(
      store,
      's',
      Array.from({ length: 1000 }, () => 'a'),
      { operationId: 'many' },
    )
    await store.updateMeta('s', { memo: { text: 'x'.repeat(10_000) } }, { operationId: 'bulky' })
    expect(JSON.stringify((await backend.loadSession('s'))?.hot).length).toBeLessThan(3000)
  })
})
