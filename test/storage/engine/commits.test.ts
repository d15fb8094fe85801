import { describe, expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { Durability } from '../../../src/contract/store/write-options.ts'
import type { WriteBatch } from '../../../src/contract/write-batch.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createCommitQueue } from '../../../src/storage/engine/writing/commit-queue.ts'
import { createSessionWriter } from '../../../src/storage/engine/writing/session-writer.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** A memory backend that tells of every commit, and lets a test refuse some. */
function watchedBackend(refuse: (batch: WriteBatch) => unknown = () => undefined) {
  const inner = createMemoryBackend()
  const commits: { readonly batch: WriteBatch; readonly durability: Durability }[] = []
  const backend: StorageBackend = {
    ...inner,
    commit: async (batch, durability) => {
      const refusal = refuse(batch)
      if (refusal !== undefined) throw refusal
      commits.push({ batch, durability })
      return inner.commit(batch, durability)
    },
  }
  return { backend, commits }
}

const say = (content: string) => [{ type: 'message', message: { role: 'user', content } }] as const

describe('commits of the engine', () => {
  it('stores calls of one tick in one transaction', async () => {
    const { backend, commits } = watchedBackend()
    const store = createSessionStore(backend)
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.append('a', say(`${i}`))))
    expect(commits.length).toBeLessThanOrEqual(2)
    expect(await store.getHistory('a')).toHaveLength(100)
  })

  it('stores calls that come while a commit is in flight in the next one', async () => {
    const { backend, commits } = watchedBackend()
    const store = createSessionStore(backend)
    await store.append('a', say('first'))
    const before = commits.length
    const calls = [store.append('a', say('second'))]
    await Promise.resolve()
    for (let i = 0; i < 50; i++) calls.push(store.append('a', say(`${i}`)))
    await Promise.all(calls)
    expect(commits.length - before).toBeLessThanOrEqual(3)
  })

  it('gives a group the strictest durability of its members', async () => {
    const { backend, commits } = watchedBackend()
    const store = createSessionStore(backend)
    await Promise.all([
      store.append('a', say('x'), { durability: 'relaxed' }),
      store.append('a', say('y'), { durability: 'strict' }),
    ])
    expect(commits.at(-1)?.durability).toBe('strict')
  })

  it('commits sessions of one tick together', async () => {
    const { backend, commits } = watchedBackend()
    const store = createSessionStore(backend)
    await Promise.all(['a', 'b', 'c'].map((key) => store.append(key, say(key))))
    expect(commits.some(({ batch }) => batch.sessions.length === 3)).toBe(true)
  })

  it('rejects only the session whose write fails', async () => {
    const { backend } = watchedBackend((batch) =>
      batch.sessions.some(({ hot }) => hot.key === 'bad') ? new Error('disk') : undefined,
    )
    const store = createSessionStore(backend)
    const results = await Promise.allSettled(['a', 'bad', 'c'].map((key) => store.append(key, say(key))))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('rejects only the call whose write fails', async () => {
    const { backend } = watchedBackend((batch) =>
      JSON.stringify(batch).includes('poison') ? new Error('disk') : undefined,
    )
    const store = createSessionStore(backend)
    const results = await Promise.allSettled(['one', 'poison', 'two'].map((text) => store.append('a', say(text))))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await store.getHistory('a')).map(({ content }) => content)).toEqual(['one', 'two'])
  })

  it('works on after a failed write, without a gap in the log', async () => {
    let isFull = false
    const { backend } = watchedBackend(() => (isFull ? new Error('full') : undefined))
    const store = createSessionStore(backend)
    await store.append('a', say('one'))
    isFull = true
    await expect(store.append('a', say('lost'))).rejects.toThrow('full')
    isFull = false
    await store.append('a', say('two'))
    expect((await store.getHistory('a')).map(({ content }) => content)).toEqual(['one', 'two'])
    expect((await store.verify()).problems).toEqual([])
  })

  it('plans anew when another store on the same place was faster', async () => {
    const { backend } = watchedBackend()
    const stores = [createSessionStore(backend), createSessionStore(backend), createSessionStore(backend)]
    await Promise.all(
      stores.flatMap((store, tab) => Array.from({ length: 50 }, (_, i) => store.append('a', say(`${tab}.${i}`)))),
    )
    const read = await Promise.all(stores.map((store) => store.read('a', { last: 4096 })))
    expect(read[0]!.entries).toHaveLength(150)
    expect(read[1]!.entries).toEqual(read[0]!.entries)
    expect(read[2]!.entries).toEqual(read[0]!.entries)
    expect((await stores[0]!.verify()).problems).toEqual([])
  })

  it('joins small records of the end once there are 64 of them', async () => {
    const { backend, commits } = watchedBackend()
    const store = createSessionStore(backend)
    for (let i = 0; i < 130; i++) await store.append('a', say(`${i}`))
    expect(commits.filter(({ batch }) => batch.sessions[0]?.pack !== undefined)).toHaveLength(2)
    expect(await store.getHistory('a')).toHaveLength(130)
  })

  it('keeps a bounded number of sessions in memory however many were touched', async () => {
    const backend = createMemoryBackend()
    const store = createSessionStore(backend)
    const keys = Array.from({ length: 600 }, (_, i) => `session ${i}`)
    await Promise.all(keys.map((key) => store.append(key, say(key))))
    let drawn = 1
    const writer = createSessionWriter({
      backend,
      queue: createCommitQueue(backend),
      now: () => 1,
      randomInteger: () => drawn++,
      isFresh: () => true,
      isFollowed: true,
      onCommit: () => undefined,
    })
    for (const key of keys) await writer.rows(key)
    expect(keys.filter((key) => writer.peek(key) !== undefined)).toHaveLength(256)
  })

  it('forgets operations beyond the newest 1,024 or so', async () => {
    const { backend } = watchedBackend()
    const store = createSessionStore(backend)
    for (let i = 0; i < 1600; i++) await store.append('a', say('x'), { operationId: `op ${i}` })
    const session = (await backend.loadSession('a'))!.hot.session
    expect(await backend.findOperation(session, 'op 0')).toBeUndefined()
    expect(await backend.findOperation(session, 'op 1599')).toBeDefined()
    expect(await backend.findOperation(session, `op ${1600 - 1024}`)).toBeDefined()
  })
})
