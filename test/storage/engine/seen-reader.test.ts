import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { Entry } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { entryId } from '../../../src/domain/address.ts'
import { lineOf } from '../../../src/domain/line.ts'
import { sha256 } from '../../../src/domain/sha256.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { isSeen } from '../../../src/storage/engine/reading/seen-reader.ts'
import { readWholeLine } from '../../../src/storage/engine/reading/session-reader.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

const say = (store: SessionStore, content: string, branch?: string) =>
  store.append('s', [{ type: 'message', message: { role: 'user', content } }], branch === undefined ? {} : { branch })

async function allChanges(store: SessionStore): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let page = await store.changes('s'); ; page = await store.changes('s', {}, page.next)) {
    entries.push(...page.entries)
    if (page.next === undefined) return entries
  }
}

/** Tells how many entries are read. */
function countReads(backend: StorageBackend): { readonly backend: StorageBackend; entries: number } {
  const counted = {
    entries: 0,
    backend: {
      ...backend,
      readRange: async (range: Parameters<StorageBackend['readRange']>[0]) => {
        const part = await backend.readRange(range)
        counted.entries += part.entries.length
        return part
      },
    },
  }
  return counted
}

it('a checkpoint reads none of what was written to its line, also the first', async () => {
  const counted = countReads(createMemoryBackend())
  const store = createSessionStore(counted.backend)
  for (let n = 0; n < 3000; n += 500)
    await store.append(
      's',
      Array.from({ length: 500 }, (_, i) => ({
        type: 'message' as const,
        message: { role: 'user', content: String(n + i) },
      })),
    )
  counted.entries = 0
  expect(await store.checkpoint('s')).toMatchObject({ messages: 3000 })
  expect(counted.entries).toBe(0)
  await say(store, 'more')
  await store.edit('s', (await store.read('s', { last: 1 })).entries[0]!, { role: 'user', content: 'changed' })
  expect(await store.checkpoint('s')).toMatchObject({ messages: 3001 })
  expect(counted.entries).toBeLessThan(300)
})

/** The ids of what a checkpoint of the head sees, by the rows. */
async function seenIds(backend: StorageBackend): Promise<readonly string[]> {
  const rows = (await backend.loadSession('s'))!
  const line = lineOf(rows.cold, rows.hot.head)!
  return (await readWholeLine(backend, rows, line, 'raw'))
    .filter((row) => isSeen(line, row))
    .map(({ w, s }) => entryId(w, s))
}

type Step = (store: SessionStore, other: SessionStore, n: number) => Promise<unknown>

const pick = async (store: SessionStore, n: number) => {
  const { entries } = await store.read('s', { view: 'raw', last: 50 })
  return entries[n % Math.max(entries.length, 1)]
}

const steps: Readonly<Record<string, Step>> = {
  say: (store, _, n) => say(store, `m${n}`),
  note: (store) => store.append('s', [{ type: 'custom', data: { n: 1 } }]),
  'say in main': (store, _, n) => say(store, `main ${n}`, ''),
  'say elsewhere': (_, other, n) => say(other, `e${n}`),
  edit: async (store, _, n) => store.edit('s', (await pick(store, n))!, { role: 'user', content: 'edited' }),
  remove: async (store, _, n) => store.remove('s', (await pick(store, n))!),
  cut: (store, _, n) => store.truncateHistory('s', n % 4),
  'cut elsewhere': (_, other, n) => other.truncateHistory('s', n % 4),
  branch: async (store, _, n) => store.openBranch('s', { after: (await pick(store, n))! }),
  switch: async (store, _, n) => {
    const branches = await store.listBranches('s')
    await store.switchBranch('s', branches[n % branches.length]!.id)
  },
  restore: async (store, _, n) => {
    const checkpoints = await store.listCheckpoints('s')
    await store.restoreCheckpoint('s', checkpoints[n % checkpoints.length]!.id)
  },
  give: async (store, other) => other.merge('s', await allChanges(store)),
  take: async (store, other) => store.merge('s', await allChanges(other)),
  compact: (store) => store.reclaim('s'),
  delete: (store) => store.delete('s'),
  undelete: (store) => store.undelete('s'),
  purge: (store) => store.purge('s'),
}

it('a checkpoint has the checksum of one that was counted from the start, whatever came between', async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(20), fc.boolean())
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (run) => {
      const backend = createMemoryBackend()
      const [tab, otherTab, device] = [
        createSessionStore(backend),
        createSessionStore(backend),
        createSessionStore(createMemoryBackend()),
      ]
      for (const [name, n, inOtherTab] of run) {
        // Some have nothing to do yet.
        await steps[name]!(inOtherTab ? otherTab : tab, device, n).catch(() => undefined)
        if (n % 3 === 0)
          await Promise.allSettled([
            tab.checkpoint('s'),
            say(otherTab, 'at the same time'),
            say(otherTab, 'in main', ''),
          ])
        // As a tab does that hears of the others: a refusal is planned on what it knows.
        await tab.getMeta('s')
        const one = await tab.checkpoint('s').catch(() => undefined)
        if (one === undefined) continue
        const ids = await seenIds(backend)
        expect([one.messages, one.checksum]).toEqual([ids.length, sha256(ids)])
      }
    }),
    { numRuns: 200 },
  )
})

it('sees what came late, where as much was erased because another device said so', async () => {
  const [late, one, two] = [1, 2, 3].map(() => createSessionStore(createMemoryBackend())) as [
    SessionStore,
    SessionStore,
    SessionStore,
  ]
  await say(one, 'a')
  await say(late, 'written in between, and late')
  for (const content of ['b', 'c']) await say(one, content)
  await two.merge('s', await allChanges(one))
  await one.remove('s', (await one.read('s')).entries[1]!)
  await one.reclaim('s')
  await two.merge('s', await allChanges(one))
  await two.checkpoint('s')
  await two.reclaim('s')
  await two.merge('s', await allChanges(late))
  const { id, messages } = await two.checkpoint('s')
  expect(messages).toBe(3)
  await two.restoreCheckpoint('s', id)
})
