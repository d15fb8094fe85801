import { describe, expect, it } from 'vitest'
import { seenLane } from '../../../src/contract/backend.ts'
import type { Entry } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { openCountedStore } from './support/counted-store.ts'

const question = (content: string) => ({ type: 'message' as const, message: { role: 'user', content } })

async function fill(store: SessionStore, messages: number): Promise<void> {
  for (let n = 0; n < messages; n += 1000)
    await store.append(
      's',
      Array.from({ length: Math.min(1000, messages - n) }, (_, i) => question(String(n + i))),
    )
}

async function allChanges(store: SessionStore): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let page = await store.changes('s'); ; page = await store.changes('s', {}, page.next)) {
    entries.push(...page.entries)
    if (page.next === undefined) return entries
  }
}

const aFewBlocks = 4 * 256

describe('what is known of a line without reading it', () => {
  it('stays known where messages all over it were edited', async () => {
    const { store, costOf } = openCountedStore()
    await fill(store, 10_000)
    for (let from = '', n = 0; n < 18; n++) {
      const { entries } = await store.read('s', { after: from, limit: 500 })
      await store.edit('s', entries[1]!, question(`edited ${n}`).message)
      from = entries.at(-1)!.order
    }
    const first = (await store.read('s', { after: '', limit: 1 })).entries[0]!
    expect(await costOf(() => store.openBranch('s', { after: first }))).toBeLessThan(aFewBlocks)
    expect((await store.verify('s')).problems).toEqual([])
  })

  it('stays known of what was written after a line was emptied', async () => {
    const { store, costOf } = openCountedStore()
    await store.append('s', [question('before')])
    await store.truncateHistory('s', 0)
    await fill(store, 10_000)
    const {
      entries: [first],
    } = await store.read('s', { after: '', limit: 1 })
    expect(await costOf(() => store.openBranch('s', { after: first! }))).toBeLessThan(aFewBlocks)
    expect(await costOf(() => store.switchBranch('s', ''))).toBeLessThan(aFewBlocks)
    expect((await store.getMeta('s'))?.messageCount).toBe(10_000)
  })

  it('stays known of what was seen before the place where another device wrote at the same time', async () => {
    const { store, costOf } = openCountedStore()
    await fill(store, 10_000)
    const other = createSessionStore(createMemoryBackend())
    await other.merge('s', await allChanges(store))
    for (let n = 0; n < 2; n++) {
      const known = await other.getVector('s')
      await other.append('s', [question(`there ${n}`)])
      await fill(store, 300)
      await store.merge('s', (await other.changes('s', known)).entries)
      expect(await costOf(() => store.checkpoint('s', { label: String(n) }))).toBeLessThan(aFewBlocks)
    }
  })

  it('leaves nothing behind of what a purge made void', async () => {
    const { store, backend } = openCountedStore()
    await fill(store, 2000)
    await store.checkpoint('s')
    const {
      hot: { session },
    } = (await backend.loadSession('s'))!
    const marks = async () =>
      (await backend.readRange({ session, lane: seenLane(0), from: '', to: '~' })).entries.length
    expect(await marks()).toBeGreaterThan(0)
    await store.remove('s', (await store.read('s', { last: 1 })).entries[0]!)
    await store.reclaim('s')
    expect(await marks()).toBe(0)
  })
})
