import { describe, expect, it } from 'vitest'
import { entryId } from '../../src/domain/address.ts'
import { arrive } from '../../src/domain/arrive.ts'
import { emptyRows } from '../../src/domain/empty-rows.ts'
import { settleReview } from '../../src/domain/review.ts'
import { sealEntry } from '../../src/domain/seal.ts'
import { beginWork } from '../../src/domain/work.ts'

const branch = entryId(9, 0)
const data = { message: { role: 'user', content: 'x' } }

/** An edit of the entry at an order by the only writer of edits. */
const edit = (s: number, order: string) =>
  sealEntry({
    w: 8,
    s,
    branch: '',
    type: 'edit',
    data: { branch: '', order, value: data },
    at: 1,
    clock: { hp: 9 + s, hc: 0 },
  })

const purge = (ranges: Record<string, [number, number][]>) =>
  sealEntry({
    w: 5,
    s: 0,
    branch: '',
    type: 'purge',
    data: { ranges, controls: ranges },
    at: 1,
    clock: { hp: 50, hc: 0 },
  })

describe("the greatest order in the head's lane", () => {
  it.each([
    ['later than all else', 5],
    ['older than what came before it', 2],
  ])('covers rows that sort before the opener of their branch, when that is %s', (_, hp) => {
    const work = beginWork(emptyRows('s', 1))
    const stray = sealEntry({ w: 7, s: 0, branch, type: 'message', data, at: 1, clock: { hp: 1, hc: 0 } })
    const main = sealEntry({ w: 7, s: 1, branch: '', type: 'message', data, at: 1, clock: { hp: 4, hc: 0 } })
    const opener = sealEntry({
      w: 9,
      s: 0,
      branch: '',
      type: 'branch',
      data: { fork: { branch: '', order: main.order }, head: true },
      at: 1,
      clock: { hp, hc: 0 },
    })
    arrive(work, stray, 1)
    arrive(work, main, 1)
    arrive(work, opener, 1, { ...main, bytes: 1 })
    settleReview(work, [])
    expect(work.hot.head).toBe(branch)
    expect(work.hot.lastOrder >= stray.order).toBe(true)
  })
})

describe('edits without their targets', () => {
  it('are kept without a copy of those before them, and the rows that they came on stay as they were', () => {
    const base = emptyRows('s', 1)
    const work = beginWork(base)
    arrive(work, edit(0, 'a'), 1)
    const { pending } = work.cold
    for (let s = 1; s < 10; s++) arrive(work, edit(s, `a${s}`), 1)
    expect(work.cold.pending).toBe(pending)
    expect(Object.keys(pending)).toHaveLength(10)
    const later = beginWork({ hot: work.hot, cold: work.cold })
    arrive(later, edit(10, 'b'), 1)
    expect([base.cold.pending, Object.keys(pending).length, Object.keys(later.cold.pending).length]).toEqual([
      {},
      10,
      11,
    ])
  })

  it('are taken by targets that come, without a copy for each', () => {
    const work = beginWork(emptyRows('s', 1))
    const rows = [1, 2, 3].map((hp) =>
      sealEntry({ w: 7, s: hp - 1, branch: '', type: 'message', data, at: 1, clock: { hp, hc: 0 } }),
    )
    rows.forEach(({ order }, s) => void arrive(work, edit(s, order), 1))
    const { pending } = work.cold
    for (const [s, row] of rows.entries()) expect(arrive(work, row, 1).row?.edit?.id).toBe(entryId(8, s))
    expect([work.cold.pending === pending, pending]).toEqual([true, {}])
  })
})

describe('an edit that was purged before it came', () => {
  const target = sealEntry({ w: 7, s: 0, branch: '', type: 'message', data, at: 1, clock: { hp: 1, hc: 0 } })

  it('is not stored when the edit that replaced it is here', () => {
    const work = beginWork(emptyRows('s', 1))
    const row = arrive(work, target, 1).row!
    arrive(work, purge({ 8: [[0, 1]] }), 1)
    const { mark } = arrive(work, edit(1, target.order), 1, row)
    const { entries } = work.hot
    expect(arrive(work, edit(0, target.order), 1, { ...row, edit: mark!.mark })).toEqual({})
    expect(work.hot.entries).toBe(entries)
  })

  it('is not stored when the edit that replaced it waits for the target', () => {
    const work = beginWork(emptyRows('s', 1))
    arrive(work, purge({ 8: [[0, 1]] }), 1)
    arrive(work, edit(1, target.order), 1)
    expect(arrive(work, edit(0, target.order), 1)).toEqual({})
    expect(Object.values(work.cold.pending).map(({ id }) => id)).toEqual([entryId(8, 1)])
  })

  it('is not stored when its target was purged', () => {
    const work = beginWork(emptyRows('s', 1))
    const row = arrive(work, target, 1).row!
    arrive(work, purge({ 7: [[0, 1]], 8: [[0, 1]] }), 1)
    expect(arrive(work, edit(0, target.order), 1, row)).toEqual({})
  })

  it('counts while the edit that replaced it is on its way', () => {
    const work = beginWork(emptyRows('s', 1))
    const row = arrive(work, target, 1).row!
    arrive(work, purge({ 8: [[0, 1]] }), 1)
    expect(arrive(work, edit(0, target.order), 1, row).mark?.mark.id).toBe(entryId(8, 0))
  })
})
