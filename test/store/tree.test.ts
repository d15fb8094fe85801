import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { entryId } from '../../src/domain/address.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { isFull, patience } from '../model/support/laws.ts'
import type { TreeLaw } from './support/tree-laws.ts'
import { treeLaws } from './support/tree-laws.ts'
import { growTree, storedEntries, treeSteps } from './support/tree-world.ts'

const inMemory = async (): Promise<SessionStore> => createSessionStore(createMemoryBackend())
const inIndexedDb = async (): Promise<SessionStore> =>
  createSessionStore(await openIndexedDbBackend({ name: 'trees', indexedDB: new IDBFactory(), IDBKeyRange }))

/** Holds a law for trees on one store, each in a session of its own. */
async function holds(law: TreeLaw, open: () => Promise<SessionStore>, runs: number): Promise<void> {
  const store = await open()
  let drawn = 0
  await fc.assert(
    fc.asyncProperty(treeSteps, async (steps) => {
      const world = await growTree(store, `tree ${drawn++}`, steps)
      expect(await law(world)).toEqual([])
      await store.purge(world.key)
    }),
    { numRuns: runs },
  )
  await store.close()
}

/** A store in memory on which one entry can be changed behind its back. */
function withTampering(): { readonly store: SessionStore; tamper(entry: Entry, fields: Partial<Entry>): void } {
  const backend = createMemoryBackend()
  let place = ''
  let changed: Partial<Entry> = {}
  const readRange: typeof backend.readRange = async (range) => {
    const part = await backend.readRange(range)
    return {
      ...part,
      entries: part.entries.map((row) => (`${row.w} ${row.s}` === place ? { ...row, ...changed } : row)),
    }
  }
  return {
    store: createSessionStore({ ...backend, readRange }),
    tamper: ({ w, s }, fields) => {
      place = `${w} ${s}`
      changed = fields
    },
  }
}

const tampered = fc.constantFrom<(entry: Entry) => Partial<Entry>>(
  ({ data }) => ({ data: { ...data, added: true } }),
  ({ data }) => ({
    data:
      data['message'] === undefined
        ? { ...data, name: 'never named' }
        : { ...data, message: { role: 'user', content: 'never said' } },
  }),
  ({ at }) => ({ at: at + 1 }),
  ({ type }) => ({ type: type === 'label' ? 'custom' : 'label' }),
  ({ branch }) => ({ branch: branch === '' ? '1.1' : '' }),
)

describe('an entry of a tree that was tampered with', { timeout: patience }, () => {
  it('is found by verify, whichever it is and whatever was changed', async () => {
    await fc.assert(
      fc.asyncProperty(treeSteps, fc.nat(99), tampered, async (steps, which, change) => {
        const { store, tamper } = withTampering()
        const world = await growTree(store, 'tree', steps)
        const { all } = await storedEntries(world)
        const entry = all[which % all.length]!
        tamper(entry, change(entry))
        const { problems } = await store.verify('tree')
        expect(problems).toContainEqual(expect.objectContaining({ kind: 'checksum', at: entryId(entry.w, entry.s) }))
      }),
      { numRuns: isFull ? 5_000 : 120 },
    )
  })

  it('is refused by a store that it is merged into', async () => {
    await fc.assert(
      fc.asyncProperty(treeSteps, fc.nat(99), tampered, async (steps, which, change) => {
        const world = await growTree(await inMemory(), 'tree', steps)
        const { all } = await storedEntries(world)
        const entry = all[which % all.length]!
        const { refused } = await (await inMemory()).merge(
          'tree',
          all.map((one) => (one === entry ? { ...one, ...change(one) } : one)),
        )
        expect(refused.map(({ id }) => id)).toContain(entryId(entry.w, entry.s))
      }),
      { numRuns: isFull ? 5_000 : 120 },
    )
  })
})

describe.each([
  { name: 'in memory', open: inMemory, runs: isFull ? 5_000 : 120 },
  { name: 'in IndexedDB', open: inIndexedDb, runs: isFull ? 500 : 6 },
])('a tree $name that grew at random', ({ open, runs }) => {
  for (const [name, law] of Object.entries(treeLaws)) it(name, () => holds(law, open, runs), patience)
})
