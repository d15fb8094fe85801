import { beforeEach, expect, it } from 'vitest'
import type { RangeRead, StorageBackend } from '../../../src/contract/backend.ts'
import { entriesAt, entryAt, inLane, orderAt, planSession } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

/** Entries 0 to 399 in records of 64, and 400 to 449 in records of one. */
async function fill(backend: StorageBackend): Promise<void> {
  const a = planSession('a', 1)
  await a.write(backend, { append: inLane(0, entriesAt(0, 383)) })
  await a.write(backend, { append: inLane(0, entriesAt(384, 399)) })
  for (const entry of entriesAt(400, 449)) await a.write(backend, { append: inLane(0, [entry]) })
  await planSession('b', 2).write(backend, { append: inLane(0, entriesAt(0, 5)) })
}

export function rangeLaws({ open }: LawContext): void {
  let backend: StorageBackend
  beforeEach(async () => {
    backend = await open()
    await fill(backend)
  })

  const read = async (range: Partial<RangeRead>) => {
    const { entries, more, unreadable } = await backend.readRange({ session: 1, lane: 0, from: '', to: '~', ...range })
    const numbers = entries.map(({ s }) => s)
    expect(unreadable).toEqual([])
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i))
    return { first: numbers[0], last: numbers.at(-1), count: numbers.length, more }
  }

  it('reads from one order to another, both inclusive', async () => {
    expect(await read({})).toEqual({ first: 0, last: 449, count: 450, more: false })
    expect(await read({ from: orderAt(10), to: orderAt(20) })).toEqual({ first: 10, last: 20, count: 11, more: false })
    expect(await read({ from: orderAt(64), to: orderAt(127) })).toEqual({
      first: 64,
      last: 127,
      count: 64,
      more: false,
    })
    expect(await read({ from: orderAt(63), to: orderAt(64) })).toEqual({ first: 63, last: 64, count: 2, more: false })
    expect(await read({ from: orderAt(449), to: '~' })).toEqual({ first: 449, last: 449, count: 1, more: false })
    expect(await read({ from: orderAt(7), to: orderAt(7) })).toMatchObject({ first: 7, count: 1 })
  })

  it('gives nothing for a range that holds nothing', async () => {
    const nothing = { first: undefined, last: undefined, count: 0, more: false }
    expect(await read({ from: orderAt(450) })).toEqual(nothing)
    expect(await read({ from: orderAt(20), to: orderAt(10) })).toEqual(nothing)
    expect(await read({ from: `${orderAt(10)}!`, to: `${orderAt(10)}~` })).toEqual(nothing)
    for (const reverse of [true, false]) {
      expect(await read({ lane: 7, reverse, limit: 5 })).toEqual(nothing)
      expect(await read({ session: 7, reverse, limit: 5 })).toEqual(nothing)
      expect(await read({ from: orderAt(20), to: orderAt(10), reverse, limit: 5 })).toEqual(nothing)
      expect(await read({ from: `${orderAt(10)}!`, to: `${orderAt(10)}~`, reverse, limit: 5 })).toEqual(nothing)
    }
  })

  it('reads at least so many entries from the start, and says whether there are more', async () => {
    for (const [from, limit] of [
      [0, 1],
      [0, 64],
      [0, 65],
      [5, 60],
      [5, 200],
      [130, 250],
      [390, 20],
      [420, 29],
      [0, 449],
    ] as const) {
      const { first, count, more, last } = await read({ from: orderAt(from), limit })
      expect({ from, first, enough: count >= limit, more }).toEqual({
        from,
        first: from,
        enough: true,
        more: last! < 449,
      })
    }
    expect(await read({ from: orderAt(380), limit: 70 })).toEqual({ first: 380, last: 449, count: 70, more: false })
    expect(await read({ limit: 10_000 })).toEqual({ first: 0, last: 449, count: 450, more: false })
    expect(await read({ to: orderAt(63), limit: 64 })).toEqual({ first: 0, last: 63, count: 64, more: false })
    expect(await read({ to: orderAt(64), limit: 64 })).toEqual({ first: 0, last: 63, count: 64, more: true })
  })

  it('reads at least so many entries from the end, and says whether there are more', async () => {
    for (const [to, limit] of [
      [449, 1],
      [449, 50],
      [449, 51],
      [449, 200],
      [420, 10],
      [399, 20],
      [200, 70],
      [128, 1],
      [127, 64],
      [63, 5],
    ] as const) {
      const { first, last, count, more } = await read({ to: orderAt(to), limit, reverse: true })
      expect({ to, last, enough: count >= limit, more }).toEqual({ to, last: to, enough: true, more: first! > 0 })
    }
    expect(await read({ limit: 10_000, reverse: true })).toEqual({ first: 0, last: 449, count: 450, more: false })
    expect(await read({ reverse: true })).toEqual({ first: 0, last: 449, count: 450, more: false })
    expect(await read({ from: orderAt(64), to: orderAt(127), limit: 64, reverse: true })).toEqual({
      first: 64,
      last: 127,
      count: 64,
      more: false,
    })
    expect(await read({ from: orderAt(63), to: orderAt(127), limit: 64, reverse: true })).toEqual({
      first: 64,
      last: 127,
      count: 64,
      more: true,
    })
    expect(await read({ from: `${orderAt(63)}!`, to: orderAt(127), limit: 64, reverse: true })).toEqual({
      first: 64,
      last: 127,
      count: 64,
      more: false,
    })
    expect(await read({ from: orderAt(100), to: orderAt(420), limit: 15, reverse: true })).toMatchObject({
      last: 420,
      more: true,
    })
    expect(await read({ from: orderAt(410), to: orderAt(420), limit: 15, reverse: true })).toEqual({
      first: 410,
      last: 420,
      count: 11,
      more: false,
    })
  })

  it('reads the same, whatever it is told of small records', async () => {
    for (const small of ['', orderAt(0), orderAt(63), orderAt(300), orderAt(400), orderAt(430), orderAt(449), '~']) {
      for (const [from, to, limit] of [
        [0, 449, 50],
        [0, 449, 200],
        [0, 420, 15],
        [390, 449, 50],
        [390, 449, 60],
        [410, 440, 5],
        [300, 449, 149],
        [300, 449, 150],
        [0, 50, 10],
      ] as const) {
        const plain = await backend.readRange({
          session: 1,
          lane: 0,
          from: orderAt(from),
          to: orderAt(to),
          limit,
          reverse: true,
        })
        const hinted = await backend.readRange({
          session: 1,
          lane: 0,
          from: orderAt(from),
          to: orderAt(to),
          limit,
          reverse: true,
          small,
        })
        const numbers = hinted.entries.map(({ s }) => s)
        expect(numbers).toEqual(numbers.map((_, i) => to + 1 - numbers.length + i))
        expect(numbers.length).toBeGreaterThanOrEqual(Math.min(limit, to - from + 1))
        expect(hinted.more).toBe(numbers[0]! > from)
        expect(plain.more).toBe(plain.entries[0]!.s > from)
      }
    }
  })

  it('reads little when little is asked for', async () => {
    expect((await read({ limit: 10 })).count).toBeLessThanOrEqual(64)
    expect((await read({ limit: 50, reverse: true })).count).toBeLessThanOrEqual(130)
    expect((await read({ from: orderAt(100), limit: 100 })).count).toBeLessThanOrEqual(192)
  })

  it('pages through a lane in both directions without a gap or a double', async () => {
    const forward: number[] = []
    for (let from = '', more = true; more; ) {
      const page = await backend.readRange({ session: 1, lane: 0, from, to: '~', limit: 30 })
      forward.push(...page.entries.map(({ s }) => s))
      more = page.more
      from = `${page.entries.at(-1)!.order}!`
    }
    expect(forward).toEqual(entriesAt(0, 449).map(({ s }) => s))
    const backward: number[] = []
    for (let to = '~', more = true; more; ) {
      const page = await backend.readRange({ session: 1, lane: 0, from: '', to, limit: 30, reverse: true })
      const fresh = page.entries.filter(({ order }) => order !== to)
      backward.unshift(...fresh.map(({ s }) => s))
      more = page.more
      to = fresh[0]!.order
    }
    expect(backward).toEqual(forward)
  })

  it('finds what was inserted into the range since', async () => {
    const a = planSession('c', 3)
    await a.write(backend, {
      append: inLane(
        0,
        entriesAt(0, 99).filter(({ s }) => s !== 50),
      ),
    })
    await a.write(backend, { insert: inLane(0, [entryAt(50)]) })
    expect(await read({ session: 3, from: orderAt(49), to: orderAt(51) })).toMatchObject({ first: 49, count: 3 })
  })
}
