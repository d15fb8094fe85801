import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordCapacity } from '../../src/contract/backend.ts'
import type { StoredEntry } from '../../src/contract/rows.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { isPackedEntry, packEntry, place, unpackEntry, withBodies } from '../../src/storage/packed-entry.ts'
import { cutRecords, type EntryRecord, packRecords, recordBytes } from '../../src/storage/records.ts'
import { applyWrite, createDocument, type SessionDocument } from '../../src/storage/session-document.ts'
import { type Change, editAt, entriesAt, entryAt, inLane, orderAt, planSession, readLane } from './backend-fixtures.ts'
import { changeStore } from './damage-indexeddb.ts'

/** What to do next; numbers are places in the lane, taken modulo what is there. */
type Act =
  | { readonly do: 'append'; readonly count: number; readonly gap: number }
  | { readonly do: 'insert'; readonly at: readonly number[] }
  | { readonly do: 'edit'; readonly at: number; readonly tick: number }
  | { readonly do: 'erase'; readonly at: readonly number[] }
  | { readonly do: 'pack'; readonly at: number; readonly to: number | undefined }

const spot = fc.nat(700)
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      count: fc.integer({ min: 1, max: 150 }),
      gap: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('insert' as const), at: fc.array(spot, { minLength: 1, maxLength: 90 }) }),
  },
  fc.record({ do: fc.constant('edit' as const), at: spot, tick: fc.nat(20) }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('erase' as const), at: fc.array(spot, { minLength: 1, maxLength: 90 }) }),
  },
  fc.record({ do: fc.constant('pack' as const), at: spot, to: fc.option(spot, { nil: undefined }) }),
)

/** The lane as a plain map: what the records must hold after each act. */
function createModel() {
  const entries = new Map<number, StoredEntry>()
  const change = (next: Act): Change => {
    if (next.do === 'append') {
      const first = Math.max(-1, ...entries.keys()) + 1 + next.gap
      const added = entriesAt(first, first + next.count - 1)
      for (const entry of added) entries.set(entry.s, entry)
      return { append: inLane(0, added) }
    }
    if (next.do === 'insert') {
      const places = [...new Set(next.at)].sort((a, b) => a - b)
      for (const s of places) if (!entries.has(s)) entries.set(s, entryAt(s))
      return {
        insert: inLane(
          0,
          places.map((s) => entryAt(s)),
        ),
      }
    }
    if (next.do === 'edit') {
      const entry = entries.get(next.at)
      const mark = editAt(10_000 + next.tick, { tick: next.tick })
      if (entry !== undefined && (entry.edit?.order ?? '') < mark.order) entries.set(next.at, { ...entry, edit: mark })
      return { edits: [{ lane: 0, order: orderAt(next.at), mark }] }
    }
    if (next.do === 'erase') {
      for (const s of next.at) entries.delete(s)
      return { erase: [{ lane: 0, orders: next.at.map(orderAt) }] }
    }
    const { at, to } = next
    return { pack: { lane: 0, from: orderAt(at), ...(to === undefined ? {} : { to: orderAt(to) }) } }
  }
  return { change, stored: () => [...entries.values()].sort((a, b) => a.s - b.s) }
}

function expectSound(records: readonly EntryRecord[], stored: readonly StoredEntry[]): void {
  for (const { key, entries } of records) {
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.length).toBeLessThanOrEqual(recordCapacity)
    expect(entries[0]?.[place.order]).toBe(key)
  }
  // Ascending over all records: each is in order, none overlaps the next, and none is missing or there twice.
  expect(records.flatMap(({ entries }) => entries.map(unpackEntry))).toEqual(stored)
}

describe('records', () => {
  it('stay disjoint, small, complete and in order, whatever is done to them', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const session = planSession('a', 1)
        const model = createModel()
        const document: SessionDocument = createDocument(session.rows().hot)
        for (const next of acts) {
          applyWrite(document, session.plan(model.change(next)))
          expectSound(document.lanes.get(0) ?? [], model.stored())
        }
      }),
      { numRuns: 300 },
    )
  })

  it('are the same in IndexedDB', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
        const factory = new IDBFactory()
        const backend = await openIndexedDbBackend({ name: 'x', indexedDB: factory, IDBKeyRange })
        const session = planSession('a', 1)
        const model = createModel()
        for (const next of acts) await session.write(backend, model.change(next))
        expect(await readLane(backend, 1)).toEqual({ entries: model.stored(), unreadable: [] })
        await backend.close()
        const keys = (await changeStore(factory, 'x', 'entries', (store) => store.getAllKeys())) as [
          number,
          number,
          string,
        ][]
        const values = (await changeStore(factory, 'x', 'entries', (store) => store.getAll())) as {
          e: EntryRecord['entries']
        }[]
        expectSound(
          values.map(({ e }, i) => ({ key: keys[i]![2], entries: e })),
          model.stored(),
        )
      }),
      { numRuns: 40 },
    )
  }, 30_000)

  it('are cut full, and the rest is left over', () => {
    const sizes = cutRecords(entriesAt(0, 149).map(packEntry)).map(({ entries }) => entries.length)
    expect(sizes).toEqual([64, 64, 22])
  })

  it('are cut earlier when their data is large', () => {
    const large = Array.from({ length: 20 }, (_, i) => packEntry(entryAt(i, { bytes: 30 * 1024 })))
    const records = cutRecords(large)
    expect(records.map(({ entries }) => entries.length)).toEqual([4, 4, 4, 4, 4])
    expect(4 * 30 * 1024).toBeLessThanOrEqual(recordBytes)
    expect(packRecords(records)).toEqual({ put: [], drop: [] })
  })

  it('are packed full once 64 small ones lie side by side', () => {
    const small = Array.from({ length: 70 }, (_, i) => cutRecords([packEntry(entryAt(i))])[0]!)
    const { put, drop } = packRecords(small)
    expect(put.map(({ key, entries }) => [key, entries.length])).toEqual([
      [orderAt(0), 64],
      [orderAt(64), 6],
    ])
    expect(drop).toEqual(small.map(({ key }) => key).filter((key) => key !== orderAt(0) && key !== orderAt(64)))
  })

  it('are packed around full ones and around those that cannot be read', () => {
    const at = (from: number, to: number): EntryRecord => cutRecords(entriesAt(from, to).map(packEntry))[0]!
    const { put, drop } = packRecords([at(0, 1), at(2, 3), at(4, 67), at(68, 68), undefined, at(80, 80), at(81, 81)])
    expect(put.map(({ key, entries }) => [key, entries.length])).toEqual([
      [orderAt(0), 4],
      [orderAt(80), 2],
    ])
    expect(drop).toEqual([orderAt(2), orderAt(81)])
  })
})

describe('a packed entry', () => {
  it.each<[string, unknown]>([
    ['no array', { order: 'x' }],
    ['too short', packEntry(entryAt(0)).slice(0, 9)],
    ['a text in the place of a number', packEntry(entryAt(0)).with(6, 'x' as never)],
    ['a list in the place of the data', packEntry(entryAt(0)).with(5, [] as never)],
    ['no data', packEntry(entryAt(0)).with(5, null as never)],
    ['half a turn', [...packEntry(entryAt(0)), [1, 2]]],
    ['half an edit', [...packEntry(entryAt(0)), 0, 0, ['order', 'id']]],
  ])('with %s is not taken for one', (_, value) => {
    expect(isPackedEntry(value)).toBe(false)
  })

  it('is not given while a part of it lies elsewhere', () => {
    const packed = packEntry(entryAt(0, { edit: editAt(1, { v: 1 }) }))
    expect(unpackEntry(withBodies(packed, 0, undefined))).toBeUndefined()
    expect(unpackEntry(withBodies(packed, undefined, 0))).toBeUndefined()
    expect(unpackEntry(withBodies(withBodies(packed, 0, 0), { a: 1 }, { b: 2 }))).toEqual(
      entryAt(0, { data: { a: 1 }, bytes: packed[place.bytes], edit: editAt(1, { b: 2 }) }),
    )
  })
})
