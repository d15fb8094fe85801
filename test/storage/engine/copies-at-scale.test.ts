import { describe, expect, it } from 'vitest'
import type { Entry, EntryView } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { importTree } from '../../../src/domain/import-tree.ts'
import { importsEnd, importsOrder } from '../../../src/domain/imported-mid.ts'
import { clockKey } from '../../../src/domain/order.ts'
import { type CountedStore, openCountedStore } from './support/counted-store.ts'

/** The first messages of a file, as entries of a writer that only this state of it has. */
const state = (count: number): readonly Entry[] =>
  importTree(
    'file',
    Array.from({ length: count }, (_, i) => ({
      id: `id ${i}`,
      parentId: i === 0 ? null : `id ${i - 1}`,
      type: 'message',
      data: { message: { role: i % 2 === 0 ? 'user' : 'assistant', content: `${i}` } },
      at: 1_000 + i,
    })),
  )

/** A session with two states of one file, and with what was written there since. */
async function open(imported: number, written: number): Promise<CountedStore> {
  const counted = openCountedStore()
  const { store } = counted
  await store.merge('s', state(imported))
  await store.merge('s', state(imported + 2))
  for (let n = 0; n < written; n += 500)
    await store.append(
      's',
      Array.from({ length: Math.min(500, written - n) }, (_, i) => ({
        type: 'message' as const,
        message: { role: i % 2 === 0 ? 'user' : 'assistant', content: `new ${n + i}` },
      })),
    )
  return counted
}

const newest = async (store: SessionStore): Promise<EntryView> => (await store.read('s', { last: 2 })).entries[0]!

const acts: Readonly<Record<string, (store: SessionStore) => Promise<unknown>>> = {
  'a branch near the end': async (store) => store.openBranch('s', { after: await newest(store) }),
  'an edit there': async (store) => store.edit('s', await newest(store), { role: 'user', content: 'edited' }),
  'a compaction of all but the last messages': (store) => store.setCompaction('s', { summary: 'short', keepLast: 4 }),
  'a cut of all but the last messages': (store) => store.truncateHistory('s', 4),
  another: async (store) => {
    await store.append('s', [{ type: 'message', message: { role: 'user', content: 'more' } }])
    await store.truncateHistory('s', 4)
  },
}

async function costs(imported: number, written: number): Promise<Record<string, number>> {
  const counted = await open(imported, written)
  const found: Record<string, number> = {}
  for (const [name, act] of Object.entries(acts)) {
    counted.read = 0
    await act(counted.store)
    found[name] = counted.read
  }
  expect((await counted.store.verify('s')).problems).toEqual([])
  return found
}

describe('in a session whose file was imported in two states', () => {
  it('what is done to what was written since reads no more where more was imported, or written', async () => {
    const small = await costs(200, 600)
    for (const large of [await costs(4000, 600), await costs(200, 6000)]) {
      for (const [name, read] of Object.entries(large)) expect(read, name).toBeLessThanOrEqual(small[name]! + 512)
    }
  })

  it('imported rows sort before all that was written in turns of its own', () => {
    expect(importsOrder).toBe(clockKey({ hp: importsEnd, hc: 0 }, 0).slice(0, importsOrder.length))
    for (const { order } of state(3)) expect(order < importsOrder).toBe(true)
  })
})
