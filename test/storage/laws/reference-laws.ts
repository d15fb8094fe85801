import { expect, it } from 'vitest'
import type { ReferenceChange } from '../../../src/contract/blob-references.ts'
import { batchOf, entryAt, inLane, planSession } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

const cat = 'c'.repeat(64)
const dog = 'd'.repeat(64)
const picture = new Blob(['picture'])
const names = (...references: (string | readonly [string, number])[]): { references: readonly ReferenceChange[] } => ({
  references: references.map((one) =>
    typeof one === 'string' ? { hash: one, by: 1, at: 20 } : { hash: one[0], by: one[1], at: 20 },
  ),
})

/** B7: references change with the entries and go with their session; a blob goes with the last of them. */
export function referenceLaws({ open, hasBlobs = true }: LawContext): void {
  it.skipIf(hasBlobs)('takes no blobs, and says so of their references', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, names(cat))
    expect([await backend.blobReferences(1), await backend.collectBlobs(Number.MAX_VALUE)]).toEqual([undefined, []])
  })

  it.skipIf(!hasBlobs)('counts what the entries of a session name', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await backend.putBlob(cat, picture, 5)
    await a.write(backend, { append: inLane(0, [entryAt(0, { data: { blob: cat } })]), ...names(cat, dog) })
    await a.write(backend, names(cat, [dog, 2]))
    expect([...(await backend.blobReferences(1))!].sort((x, y) => (x.hash < y.hash ? -1 : 1))).toEqual([
      { hash: cat, count: 2, wasPut: true },
      { hash: dog, count: 3, wasPut: false },
    ])
    expect(await backend.blobReferences(2)).toEqual([])
  })

  it.skipIf(!hasBlobs)('changes nothing in what is named when a commit is refused', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await backend.putBlob(cat, picture, 5)
    await a.write(backend, names(cat))
    a.plan()
    const stale = a.plan(names([cat, -1], dog))
    expect(await backend.commit(batchOf(stale), 'relaxed')).toEqual({ stored: false, stale: ['a'] })
    expect(await backend.blobReferences(1)).toEqual([{ hash: cat, count: 1, wasPut: true }])
    expect(await (await backend.getBlob(cat))?.text()).toBe('picture')
  })

  it.skipIf(!hasBlobs)('erases a blob with the last session that names it', async () => {
    const backend = await open()
    const [a, b] = [planSession('a', 1), planSession('b', 2)]
    await backend.putBlob(cat, picture, 5)
    await a.write(backend, names([cat, 2]))
    await b.write(backend, names(cat))
    await a.write(backend, names([cat, -2]))
    expect(await backend.getBlob(cat)).toBeDefined()
    expect(await backend.commit({ sessions: [], erase: [{ key: 'b', session: 2 }] }, 'strict')).toEqual({
      stored: true,
      collected: [cat],
    })
    expect([await backend.getBlob(cat), (await backend.usage()).blobBytes]).toEqual([undefined, 0])
  })

  it.skipIf(!hasBlobs)('keeps a blob that one session of a batch erases and another one names', async () => {
    const backend = await open()
    await backend.putBlob(cat, picture, 5)
    await planSession('a', 1).write(backend, names(cat))
    await backend.commit(
      { sessions: [planSession('b', 2).plan(names(cat))], erase: [{ key: 'a', session: 1 }] },
      'strict',
    )
    expect([await backend.blobReferences(1), await backend.blobReferences(2)]).toEqual([
      [],
      [{ hash: cat, count: 1, wasPut: true }],
    ])
    expect(await backend.getBlob(cat)).toBeDefined()
  })

  it.skipIf(!hasBlobs)('keeps a blob that was put again since an entry named it, until its time has come', async () => {
    const backend = await open()
    await backend.putBlob(cat, picture, 5)
    await planSession('a', 1).write(backend, names(cat))
    await backend.putBlob(cat, picture, 10)
    expect(await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')).toEqual({
      stored: true,
    })
    expect(await backend.collectBlobs(10)).toEqual([])
    expect(await backend.collectBlobs(11)).toEqual([cat])
    expect(await backend.getBlob(cat)).toBeUndefined()
  })

  it.skipIf(!hasBlobs)('collects what waits too long, and nothing that an entry or a draft names', async () => {
    const backend = await open()
    for (const hash of [cat, dog, 'e'.repeat(64), 'f'.repeat(64)]) await backend.putBlob(hash, picture, 5)
    const a = planSession('a', 1)
    const row = { id: 'x', session: 1, key: 'a', branch: '', role: 'assistant', startedAt: 0, version: 1 }
    const pieces = [{ text: `so ${dog.slice(0, 20)}` }, { text: `${dog.slice(20)} then` }]
    await a.write(backend, {
      ...names(cat),
      drafts: [{ put: row }, ...pieces.map((chunk, n) => ({ draft: 'x', n, chunk }))],
    })
    expect([...(await backend.collectBlobs(Number.MAX_VALUE))].sort()).toEqual(['e'.repeat(64), 'f'.repeat(64)])
    // Put again since it was named, it is collected no more than before.
    await backend.putBlob(cat, picture, 5)
    expect(await backend.collectBlobs(Number.MAX_VALUE)).toEqual([])
  })

  it.skipIf(!hasBlobs)(
    'collects a blob that only a draft named when its last session was erased, once the draft is dropped',
    async () => {
      const backend = await open()
      await backend.putBlob(cat, picture, 5)
      await planSession('a', 1).write(backend, names(cat))
      const b = planSession('b', 2)
      const row = { id: 'x', session: 2, key: 'b', branch: '', role: 'assistant', startedAt: 0, version: 1 }
      await b.write(backend, { drafts: [{ put: row }, { draft: 'x', n: 0, chunk: { text: cat } }] })
      expect(await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')).toEqual({
        stored: true,
      })
      expect([await backend.collectBlobs(Number.MAX_VALUE), await backend.getBlob(cat)]).toEqual([
        [],
        expect.anything(),
      ])
      await b.write(backend, { drafts: [{ drop: 'x' }] })
      expect([await backend.collectBlobs(Number.MAX_VALUE), await backend.getBlob(cat)]).toEqual([[cat], undefined])
    },
  )

  it.skipIf(!hasBlobs)('lets a blob wait that a session which stays no longer names', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await backend.putBlob(cat, picture, 5)
    await a.write(backend, names(cat))
    await a.write(backend, names([cat, -1]))
    expect([await backend.blobReferences(1), await backend.collectBlobs(20)]).toEqual([[], []])
    expect([await backend.collectBlobs(21), await backend.getBlob(cat)]).toEqual([[cat], undefined])
  })

  it.skipIf(!hasBlobs)('keeps a blob that lost entries may name', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await backend.putBlob(cat, picture, 5)
    await a.write(backend, names([cat, 2]))
    await a.write(backend, { references: [{ hash: cat, by: -2, at: 20, isLost: true }] })
    expect(await backend.blobReferences(1)).toEqual([{ hash: cat, count: 0, wasPut: true }])
    expect([await backend.collectBlobs(Number.MAX_VALUE), await backend.getBlob(cat)]).toEqual([[], expect.anything()])
  })
}
