import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { InterruptibleWork, WorkProgress } from '../../../src/contract/interruptible-work.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { history, numbered, say } from '../../../src/testing/helpers.ts'

const many = 8000

interface Counts {
  /** Rows of line lanes and of control entries that were read, and most of one read. */
  read: number
  most: number
  /** Rows that were erased, by commit. */
  erased: number[]
  /** Bytes of the largest page. */
  largest: number
}

/** A backend that counts. @param spoil - changes what it does */
function counted(spoil: (backend: StorageBackend) => Partial<StorageBackend> = () => ({})) {
  const inner = createMemoryBackend()
  const backend: StorageBackend = { ...inner, ...spoil(inner) }
  const counts: Counts = { read: 0, most: 0, erased: [], largest: 0 }
  const store = createSessionStore({
    ...backend,
    readRange: async (read) => {
      const found = await backend.readRange(read)
      if (read.lane < -1) return found
      counts.read += found.entries.length
      counts.most = Math.max(counts.most, found.entries.length)
      counts.largest = Math.max(
        counts.largest,
        found.entries.reduce((sum, { bytes }) => sum + bytes, 0),
      )
      return found
    },
    commit: async (batch, durability) => {
      const outcome = await backend.commit(batch, durability)
      const erased = batch.sessions
        .flatMap(({ erase }) => erase.filter(({ lane }) => lane >= -1))
        .reduce((sum, { orders }) => sum + orders.length, 0)
      if (outcome.stored && erased > 0) counts.erased.push(erased)
      return outcome
    },
  })
  const reset = (): void => void Object.assign(counts, { read: 0, most: 0, erased: [], largest: 0 })
  return { store, counts, reset, inner }
}

async function fill(store: SessionStore, messages = many): Promise<void> {
  for (let from = 0; from < messages; from += 2000) await say(store, 's', numbered(Math.min(2000, messages - from)))
}

const works: readonly (readonly [
  name: string,
  run: (
    store: InterruptibleWork,
    work: { signal?: AbortSignal; onProgress?: (progress: WorkProgress) => void },
  ) => Promise<unknown>,
])[] = [
  ['verify', (store, work) => store.verify('s', work)],
  ['repair', (store, work) => store.repair('s', work)],
  ['reclaim', (store, work) => store.reclaim('s', undefined, work)],
]

it.each(works)('%s reads pages, and each row a few times at most', async (name, run) => {
  const { store, counts, reset } = counted()
  await fill(store)
  await store.truncateHistory('s', 10)
  reset()
  await run(store, {})
  expect(counts.most).toBeLessThanOrEqual(1024 + 64)
  // What is left of the line is counted again once it is purged.
  expect(counts.read).toBeLessThanOrEqual(many * (name === 'reclaim' ? 4 : 1.1))
  await store.close()
})

it.each(works)('%s reads no more at once than has some megabytes', async (_, run) => {
  const { store, counts, reset } = counted()
  const large = 'x'.repeat(200_000)
  for (let i = 0; i < 300; i++) await say(store, 's', [large])
  await store.truncateHistory('s', 2)
  reset()
  await run(store, {})
  // The first page knows nothing of them; no record of 64 is read in part.
  expect(counts.largest).toBeLessThan(70_000_000)
  expect(counts.read).toBeGreaterThan(300)
  await store.close()
})

it.each(works)('%s tells within one session how far it is, and never less than before', async (_, run) => {
  const { store } = counted()
  await fill(store)
  await store.truncateHistory('s', 10)
  const told: WorkProgress[] = []
  await run(store, { onProgress: (progress) => told.push(progress) })
  expect(told.length).toBeGreaterThan(50)
  for (const [i, { bytes, totalBytes, entries }] of told.entries()) {
    expect(bytes).toBeLessThanOrEqual(totalBytes)
    if (i > 0) expect([bytes >= told[i - 1]!.bytes, entries > told[i - 1]!.entries]).toEqual([true, true])
  }
  expect(told.at(-1)!.entries).toBeGreaterThanOrEqual(many)
  await store.close()
})

it.each(works)('%s ends by its signal, long before it is through', async (_, run) => {
  const { store, counts, reset } = counted()
  await fill(store)
  await store.truncateHistory('s', 10)
  const before = await history(store, 's')
  reset()
  const ending = new AbortController()
  await expect(run(store, { signal: ending.signal, onProgress: () => ending.abort() })).rejects.toMatchObject({
    name: 'Aborted',
  })
  expect(counts.read).toBeLessThan(2000)
  expect(await history(store, 's')).toEqual(before)
  expect((await store.verify('s')).problems).toEqual([])
  await store.close()
})

it('compact erases in small transactions, and says of all of it that it is purged in one entry', async () => {
  const { store, counts, reset } = counted()
  await fill(store)
  await store.truncateHistory('s', 10)
  reset()
  expect(await store.reclaim('s')).toBe(many - 10)
  expect(Math.max(...counts.erased)).toBeLessThanOrEqual(2048)
  expect(counts.erased.reduce((a, b) => a + b)).toBe(many - 10)
  const { entries } = await store.changes('s', {})
  expect(entries.filter(({ type }) => type === 'purge')).toHaveLength(1)
  expect((await store.usage('s')).entries).toBe(entries.length)
  expect((await store.verify('s')).problems).toEqual([])
  await store.close()
})

it.each([1, 2, 3, 4])(
  'compact that dies at its transaction %i is gone on with by the next one, to the same end',
  async (death) => {
    let commits = Number.POSITIVE_INFINITY
    const { store } = counted((backend) => ({
      commit: async (batch, durability) => {
        if (--commits < 0) throw new Error('It died.')
        return backend.commit(batch, durability)
      },
    }))
    await fill(store)
    await store.truncateHistory('s', 10)
    const shown = await history(store, 's')
    commits = death - 1
    await expect(store.reclaim('s')).rejects.toThrow('It died.')
    commits = Number.POSITIVE_INFINITY
    expect((await store.verify('s')).problems).toEqual([])
    await store.reclaim('s')
    const { entries } = await store.changes('s', {})
    expect(entries.filter(({ type }) => type === 'message')).toHaveLength(10)
    expect((await store.usage('s')).entries).toBe(entries.length)
    expect((await store.verify('s')).problems).toEqual([])
    expect(await history(store, 's')).toEqual(shown)
    expect(await store.reclaim('s')).toBe(0)
    await store.close()
  },
)

it('compact does not look at all of it again because another tab appends meanwhile', async () => {
  const { store, inner } = counted()
  const other = createSessionStore(inner)
  await fill(store)
  await store.truncateHistory('s', 10)
  let looked = 0
  let appending: Promise<unknown> | undefined
  const onProgress = ({ entries }: WorkProgress): void => {
    looked = entries
    appending ??= say(other, 's', ['meanwhile'])
  }
  expect(await store.reclaim('s', undefined, { onProgress })).toBe(many - 10)
  await appending
  // Once to find what is to go, and once to erase it.
  expect(looked).toBeLessThan(many * 2.2)
  expect((await history(store, 's')).length).toBe(11)
  expect((await store.verify('s')).problems).toEqual([])
  await Promise.all([store.close(), other.close()])
})

it('verify lists a thousand problems, and counts the others', async () => {
  let isSpoiled = false
  const { store } = counted((backend) => ({
    readRange: async (read) => {
      const found = await backend.readRange(read)
      return isSpoiled && read.lane === 0
        ? { ...found, entries: found.entries.map((row) => ({ ...row, crc: row.crc ^ 1 })) }
        : found
    },
  }))
  await fill(store, 1500)
  isSpoiled = true
  const report = await store.verify('s')
  expect([report.problems.length, report.unlisted, report.problems[0]?.kind]).toEqual([1000, 500, 'checksum'])
  await store.close()
})

it.each([0, 1, 2])(
  'repair gives a row the edit that the log has of it, also where it dies at its transaction %i and is begun again',
  async (death) => {
    let commits = Number.POSITIVE_INFINITY
    const { store, inner } = counted((backend) => ({
      commit: async (batch, durability) => {
        if (--commits < 0) throw new Error('It died.')
        return backend.commit(batch, durability)
      },
    }))
    const [, second] = await say(store, 's', numbered(3))
    await store.edit('s', second!, { role: 'user', content: 'edited' })
    const { hot, cold } = (await inner.loadSession('s'))!
    // Takes the entry out and puts it back as it was before the edit.
    const { entries } = await inner.readRange({ session: hot.session, lane: 0, from: '', to: '~' })
    const { edit: _, ...bare } = entries[1]!
    const write = {
      append: [],
      insert: [],
      edits: [],
      erase: [],
      operations: [],
      drafts: [],
      aliases: { add: [], drop: [] },
    }
    const next = (by: number) => ({
      hot: { ...hot, version: hot.version + by },
      cold: { ...cold, version: cold.version },
    })
    await inner.commit(
      { sessions: [{ ...write, ...next(1), erase: [{ lane: 0, orders: [bare.order] }] }], erase: [] },
      'relaxed',
    )
    await inner.commit(
      { sessions: [{ ...write, ...next(2), insert: [{ lane: 0, entries: [bare] }] }], erase: [] },
      'relaxed',
    )
    expect(await history(store, 's')).toEqual(['m0', 'm1', 'm2'])
    expect((await store.verify('s')).problems.map(({ kind, at }) => [kind, at])).toEqual([['meta', second!.id]])
    if (death > 0) {
      commits = death - 1
      await expect(store.repair('s')).rejects.toThrow('It died.')
      commits = Number.POSITIVE_INFINITY
    }
    const { problems, repaired } = await store.repair('s')
    expect(repaired).toBe(problems.length)
    expect(await history(store, 's')).toEqual(['m0', 'edited', 'm2'])
    expect((await store.verify('s')).problems).toEqual([])
    await store.close()
  },
)

/** A long session, of which every second message was removed, with edits of some and of the newest one. */
async function edited(store: SessionStore, count: number): Promise<number> {
  await fill(store, 2000)
  const { entries } = await store.read('s', { after: '', limit: 4096 })
  await store.transact(
    's',
    Array.from({ length: count }, (_, i) => ({
      type: 'edit' as const,
      target: entries[i % 3 === 0 ? entries.length - 1 : i % entries.length]!,
      content: { role: 'user' as const, content: `secret ${i}` },
    })),
  )
  await store.edit('s', entries.at(-1)!, { role: 'user', content: 'last' })
  await store.truncateHistory('s', 1)
  return entries.length - 1 + count
}

it('reclaim erases many edits in small transactions, and reads each entry a few times at most', async () => {
  const { store, counts, reset } = counted()
  const all = await edited(store, 6000)
  reset()
  expect(await store.reclaim('s')).toBe(all)
  expect(Math.max(...counts.erased)).toBeLessThanOrEqual(2048)
  expect(counts.read).toBeLessThan(all * 4)
  const { entries } = await store.changes('s', {})
  expect(JSON.stringify(entries)).not.toContain('secret')
  expect(entries.filter(({ type }) => type === 'purge')).toHaveLength(1)
  expect((await store.usage('s')).entries).toBe(entries.length)
  expect((await store.verify('s')).problems).toEqual([])
  await store.close()
})

it.each([1, 2, 3, 4])('reclaim that dies at its transaction %i leaves no edit behind in the end', async (death) => {
  let commits = Number.POSITIVE_INFINITY
  const { store } = counted((backend) => ({
    commit: async (batch, durability) => {
      if (--commits < 0) throw new Error('It died.')
      return backend.commit(batch, durability)
    },
  }))
  await edited(store, 6000)
  commits = death - 1
  await expect(store.reclaim('s')).rejects.toThrow('It died.')
  commits = Number.POSITIVE_INFINITY
  expect((await store.verify('s')).problems).toEqual([])
  await store.reclaim('s')
  const { entries } = await store.changes('s', {})
  expect(entries.filter(({ type }) => type === 'edit')).toHaveLength(1)
  expect(await history(store, 's')).toEqual(['last'])
  expect((await store.usage('s')).entries).toBe(entries.length)
  expect((await store.verify('s')).problems).toEqual([])
  expect(await store.reclaim('s')).toBe(0)
  await store.close()
})
