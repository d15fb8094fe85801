import { expect, it } from 'vitest'
import { editAt, entriesAt, entryAt, inLane, numbersIn, orderAt, planSession, readLane } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

const range = (from: number, to: number): number[] => entriesAt(from, to).map(({ s }) => s)

export function recordLaws({ open }: LawContext): void {
  it('gives an entry back with everything it holds', async () => {
    const backend = await open()
    const clock = { hp: 281_474_976_710_655, hc: 262_143 }
    const rich = entryAt(1, {
      branch: 'b1',
      type: 'custom',
      data: { mid: 'm', deep: [{ __proto: null, text: 'ü 😀 \u0000' }, [1.5, -0.25, true, null]] },
      turn: { hp: 1, hc: 2, w: 9_007_199_254_740_991, s: 3 },
      run: clock,
      edit: editAt(9, { message: { role: 'user', content: 'edited' } }),
    })
    const plain = [
      entryAt(0),
      rich,
      entryAt(2, { run: clock }),
      entryAt(3, { edit: editAt(9, null) }),
      entryAt(4, { turn: { hp: 1, hc: 2, w: 3, s: 4 } }),
    ]
    await planSession('a', 1).write(backend, { append: inLane(0, plain) })
    expect(await readLane(backend, 1)).toEqual({ entries: plain, unreadable: [] })
  })

  it('keeps lanes and sessions apart', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, {
      append: [...inLane(-1, [entryAt(0)]), ...inLane(0, [entryAt(1)]), ...inLane(1, [entryAt(2)])],
    })
    await planSession('b', 2).write(backend, { append: inLane(0, [entryAt(3)]) })
    expect([
      await numbersIn(backend, 1, -1),
      await numbersIn(backend, 1, 0),
      await numbersIn(backend, 1, 1),
      await numbersIn(backend, 2, 0),
    ]).toEqual([[0], [1], [2], [3]])
  })

  it('B3: takes a long append, and more of them', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 299)) })
    await a.write(backend, { append: inLane(0, entriesAt(300, 400)) })
    expect(await numbersIn(backend, 1)).toEqual(range(0, 400))
  })

  it('B3: puts late entries where they belong', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const odd = entriesAt(0, 300).filter(({ s }) => s % 2 === 1)
    const even = entriesAt(0, 300).filter(({ s }) => s % 2 === 0)
    await a.write(backend, { append: inLane(0, odd) })
    await a.write(backend, { insert: inLane(0, even) })
    expect(await numbersIn(backend, 1)).toEqual(range(0, 300))
  })

  it('B3: inserts one by one, from the back, into an empty lane', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    for (const entry of entriesAt(0, 9).toReversed()) await a.write(backend, { insert: inLane(0, [entry]) })
    expect(await numbersIn(backend, 1)).toEqual(range(0, 9))
  })

  it('B3: leaves an entry alone that is inserted again', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 9)) })
    await a.write(backend, { insert: inLane(0, [entryAt(4, { data: { other: true } }), entryAt(10), entryAt(10)]) })
    expect((await readLane(backend, 1)).entries).toEqual(entriesAt(0, 10))
  })

  it('B3: packs small records without changing what is read', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    for (const entry of entriesAt(0, 99)) await a.write(backend, { append: inLane(0, [entry]) })
    await a.write(backend, { append: inLane(0, [entryAt(100)]), pack: { lane: 0, from: orderAt(0) } })
    expect((await readLane(backend, 1)).entries).toEqual(entriesAt(0, 100))
    await a.write(backend, { append: inLane(0, entriesAt(101, 130)), pack: { lane: 0, from: orderAt(64) } })
    expect(await numbersIn(backend, 1)).toEqual(range(0, 130))
    await a.write(backend, { pack: { lane: 0, from: orderAt(500) } })
    expect(await numbersIn(backend, 1)).toEqual(range(0, 130))
    for (const entry of entriesAt(131, 200)) await a.write(backend, { append: inLane(0, [entry]) })
    await a.write(backend, { pack: { lane: 0, from: orderAt(131), to: orderAt(160) } })
    await a.write(backend, { pack: { lane: 0, from: orderAt(170), to: orderAt(160) } })
    expect((await readLane(backend, 1)).entries).toEqual(entriesAt(0, 200))
  })

  it('caches an edit on its entry; the later one wins', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 99)) })
    await a.write(backend, {
      edits: [
        { lane: 0, order: orderAt(70), mark: editAt(201, { v: 1 }) },
        { lane: 0, order: orderAt(3), mark: editAt(200, null) },
      ],
    })
    await a.write(backend, {
      edits: [
        { lane: 0, order: orderAt(70), mark: editAt(150, { v: 2 }) },
        { lane: 0, order: orderAt(3), mark: editAt(202, { v: 3 }) },
      ],
    })
    const { entries } = await readLane(backend, 1)
    expect(entries).toEqual(
      entriesAt(0, 99).map((entry) =>
        entry.s === 70
          ? { ...entry, edit: editAt(201, { v: 1 }) }
          : entry.s === 3
            ? { ...entry, edit: editAt(202, { v: 3 }) }
            : entry,
      ),
    )
  })

  it('ignores an edit and an erasure of an entry that is not there', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, [entryAt(0), entryAt(2)]) })
    await a.write(backend, {
      edits: [
        { lane: 0, order: orderAt(1), mark: editAt(9, null) },
        { lane: 5, order: orderAt(1), mark: editAt(9, null) },
      ],
      erase: [
        { lane: 0, orders: [orderAt(1), orderAt(7)] },
        { lane: 6, orders: [orderAt(0)] },
      ],
    })
    expect((await readLane(backend, 1)).entries).toEqual([entryAt(0), entryAt(2)])
  })

  it('erases entries wherever they lie in their records', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 199)) })
    const gone = (n: number): boolean => n === 0 || n === 63 || n === 64 || n === 199 || (n >= 70 && n < 140)
    await a.write(backend, {
      erase: [
        {
          lane: 0,
          orders: entriesAt(0, 199)
            .filter(({ s }) => gone(s))
            .map(({ order }) => order),
        },
      ],
    })
    const left = range(0, 199).filter((n) => !gone(n))
    expect(await numbersIn(backend, 1)).toEqual(left)
    await a.write(backend, { insert: inLane(0, [entryAt(0), entryAt(100)]) })
    expect(await numbersIn(backend, 1)).toEqual([...left, 0, 100].sort((x, y) => x - y))
  })

  it('does everything a write says of one lane', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 9)) })
    await a.write(backend, {
      append: inLane(0, [entryAt(20)]),
      insert: inLane(0, [entryAt(15)]),
      edits: [
        { lane: 0, order: orderAt(20), mark: editAt(30, { v: 1 }) },
        { lane: 0, order: orderAt(15), mark: editAt(31, { v: 2 }) },
      ],
      erase: [{ lane: 0, orders: [orderAt(1)] }],
      pack: { lane: 0, from: orderAt(0) },
    })
    expect((await readLane(backend, 1)).entries).toEqual([
      entryAt(0),
      ...entriesAt(2, 9),
      entryAt(15, { edit: editAt(31, { v: 2 }) }),
      entryAt(20, { edit: editAt(30, { v: 1 }) }),
    ])
  })

  it('keeps large data through inserts, edits, packing and erasure', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const large = (n: number): ReturnType<typeof entryAt> =>
      entryAt(n, { data: { mid: `m${n}`, text: 'ü'.repeat(50_000 + n) } })
    const value = { text: 'y'.repeat(60_000) }
    await a.write(backend, { append: inLane(0, [entryAt(0), large(1)]) })
    await a.write(backend, { append: inLane(0, [large(5)]) })
    await a.write(backend, {
      insert: inLane(0, [large(3), large(1)]),
      edits: [{ lane: 0, order: orderAt(0), mark: editAt(9, value) }],
    })
    await a.write(backend, { pack: { lane: 0, from: orderAt(0) } })
    const edited = entryAt(0, { edit: editAt(9, value) })
    expect(await readLane(backend, 1)).toEqual({ entries: [edited, large(1), large(3), large(5)], unreadable: [] })
    expect(await backend.findByMid(1, ['m3'])).toEqual([large(3)])
    await a.write(backend, { erase: [{ lane: 0, orders: [orderAt(3), orderAt(0)] }] })
    expect(await readLane(backend, 1)).toEqual({ entries: [large(1), large(5)], unreadable: [] })
    await a.write(backend, { insert: inLane(0, [entryAt(3)]) })
    expect((await readLane(backend, 1)).entries).toEqual([large(1), entryAt(3), large(5)])
  })
}
