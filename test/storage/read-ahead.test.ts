import { describe, expect, it } from 'vitest'
import type { RangeRead, StorageBackend } from '../../src/contract/backend.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const pageSize = 10

/** A store of one session of 50 messages that notes each range asked of its backend. */
async function openNoted(): Promise<{
  readonly store: ReturnType<typeof createSessionStore>
  readonly reads: RangeRead[]
}> {
  const backend = createMemoryBackend()
  const reads: RangeRead[] = []
  const noted: StorageBackend = {
    ...backend,
    readRange: (range) => {
      reads.push(range)
      return backend.readRange(range)
    },
  }
  const store = createSessionStore(noted)
  await store.append(
    's',
    Array.from({ length: 50 }, (_, i) => ({ type: 'message' as const, message: { role: 'user', content: `m${i}` } })),
  )
  return { store, reads }
}

const texts = (page: {
  readonly entries: readonly { readonly message?: { readonly content?: unknown } }[]
}): unknown[] => page.entries.map(({ message }) => message?.content)
const named = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `m${from + i}`)

describe('reading ahead', () => {
  it('fetches the next page of a line that is read from its beginning', async () => {
    const { store, reads } = await openNoted()
    const first = await store.read('s', { after: '', limit: pageSize })
    expect(reads).toHaveLength(2)
    const second = await store.read('s', { after: first.entries.at(-1)!.order, limit: pageSize })
    expect(texts(second)).toEqual(named(10, 20))
    // The second came without another read; the third is on its way.
    expect(reads).toHaveLength(3)
  })

  it('fetches nothing for who reads backwards or from somewhere inside', async () => {
    const { store, reads } = await openNoted()
    const last = await store.read('s', { last: pageSize })
    expect(reads).toHaveLength(1)
    await store.read('s', { after: last.entries[0]!.order, limit: 2 })
    expect(reads).toHaveLength(2)
  })

  it('reads anew when the session changed meanwhile', async () => {
    const { store } = await openNoted()
    const all = await store.read('s', { last: 50 })
    await store.read('s', { after: '', limit: pageSize })
    await store.remove('s', all.entries[10]!)
    const second = await store.read('s', { after: all.entries[9]!.order, limit: pageSize })
    expect(texts(second)).toEqual(named(11, 21))
  })

  it('gives another page size its own page', async () => {
    const { store } = await openNoted()
    const first = await store.read('s', { after: '', limit: pageSize })
    const second = await store.read('s', { after: first.entries.at(-1)!.order, limit: 3 })
    expect(texts(second)).toEqual(named(10, 13))
  })
})
