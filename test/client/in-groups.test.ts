import { describe, expect, it } from 'vitest'
import { retain } from '../../src/client/retention/retain.ts'
import { inGroups } from '../../src/client/worker/in-groups.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionManager } from '../../src/dialects/aixgo/manager/create-session-manager.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

describe('what is done to many, a few at a time', () => {
  it('gives what came of each, in their order', async () => {
    expect(await inGroups([3, 1, 2], 2, async (n) => n * 2)).toEqual([6, 2, 4])
  })

  it('fails with the first that fails, once those beside it are over, and begins no more', async () => {
    const begun: number[] = []
    let isOver = false
    const act = async (n: number): Promise<void> => {
      begun.push(n)
      if (n === 1) throw new Error('the first')
      for (let i = 0; i < 5; i++) await Promise.resolve()
      isOver = true
    }
    await expect(inGroups([1, 2, 3], 2, act)).rejects.toThrow('the first')
    expect([begun, isOver]).toEqual([[1, 2], true])
  })

  it('ends by its signal between two groups', async () => {
    const ending = new AbortController()
    expect(
      await inGroups([1, 2, 3, 4, 5], 2, async (n) => (n === 2 ? ending.abort() : undefined) ?? n, ending.signal),
    ).toEqual([1, 2])
  })
})

/** Rounds of calls of one method that a store was asked for: those that are asked together are one. */
function countRounds(store: SessionStore, method: 'getMeta'): { readonly store: SessionStore; rounds: number } {
  let running = 0
  const counted = {
    rounds: 0,
    store: {
      ...store,
      [method]: async (key: string) => {
        if (running++ === 0) counted.rounds += 1
        try {
          return await store[method](key)
        } finally {
          running -= 1
        }
      },
    },
  }
  return counted
}

describe('sessions whose time may be over', () => {
  const fill = async (store: SessionStore): Promise<void> => {
    for (let i = 0; i < 64; i++)
      await store.append(`s${i}`, [{ type: 'message', message: { role: 'user', content: 'hi' }, at: 1000 }])
  }

  it('are asked for their time many at once by a sweep', async () => {
    const store = createSessionStore(createMemoryBackend())
    await fill(store)
    const counted = countRounds(store, 'getMeta')
    const manager = createSessionManager(counted.store, { ttl: 1e15 })
    expect(await manager.sweep()).toEqual([])
    expect(counted.rounds).toBeLessThanOrEqual(2)
    await manager.close()
  })

  it('are erased several at once by a policy, and told of in the order in which they are to go', async () => {
    const store = createSessionStore(createMemoryBackend())
    await fill(store)
    const counted = countRounds(store, 'getMeta')
    const { done } = await retain(counted.store, { maxSessions: 0, action: 'delete' }, { name: 'policy' })
    const { largest } = await store.usage(undefined, { largest: 100 })
    expect([done.length, largest.every(({ deletedAt }) => deletedAt !== undefined)]).toEqual([64, true])
    expect(done.map(({ key }) => key)).toEqual(done.map(({ key }) => key).toSorted())
    // Each group is asked for its names, and for its time once nobody can open it.
    expect(counted.rounds).toBeLessThanOrEqual(2 * 8)
    await store.close()
  })
})
