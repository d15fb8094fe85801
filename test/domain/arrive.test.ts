import { describe, expect, it } from 'vitest'
import { entryId } from '../../src/domain/address.ts'
import { arrive } from '../../src/domain/arrive.ts'
import { emptyRows } from '../../src/domain/empty-rows.ts'
import { settleReview } from '../../src/domain/review.ts'
import { sealEntry } from '../../src/domain/seal.ts'
import { beginWork } from '../../src/domain/work.ts'

const branch = entryId(9, 0)
const data = { message: { role: 'user', content: 'x' } }

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
