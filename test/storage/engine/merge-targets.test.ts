import { expect, it } from 'vitest'
import type { Entry } from '../../../src/contract/entry.ts'
import type { StoredEntry } from '../../../src/contract/rows.ts'
import { editKey } from '../../../src/domain/fold.ts'
import { targetFinder } from '../../../src/storage/engine/exchange/merge-targets.ts'
import type { Plan } from '../../../src/storage/engine/writing/plan.ts'

const place = (i: number): string => `o${String(i).padStart(5, '0')}`
const row = (i: number): StoredEntry =>
  ({ w: 1, s: i, type: 'message', branch: '', order: place(i), data: {}, bytes: 2 }) as unknown as StoredEntry
const edit = (i: number): Entry =>
  ({ type: 'edit', data: { branch: '', order: place(i), value: 'new' } }) as unknown as Entry
const mark = (i: number, order: string): Plan['marks'][number] => ({
  branch: '',
  order: place(i),
  mark: { order, value: order } as unknown as Plan['marks'][number]['mark'],
})

it('looks at each row of a merge once, however many of its entries name one', () => {
  let reads = 0
  const rows = new Proxy<StoredEntry[]>([], {
    get: (list, name, receiver) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++
      return Reflect.get(list, name, receiver)
    },
  })
  const plan: Pick<Plan, 'rows' | 'marks'> = { rows, marks: [] }
  const target = targetFinder(plan, undefined)
  for (let i = 0; i < 1000; i++) {
    rows.push(row(i))
    expect(target(edit(i))).toEqual(row(i))
    plan.marks.push(mark(i, 'a'), mark(i, 'b'))
    expect(target(edit(i))).toEqual({ ...row(i), edit: mark(i, 'b').mark })
  }
  expect(reads).toBeLessThanOrEqual(2 * rows.length)
})

it('gives a stored row with the last edit of the same merge', () => {
  const plan: Pick<Plan, 'rows' | 'marks'> = { rows: [], marks: [mark(1, 'a'), mark(1, 'b')] }
  const target = targetFinder(plan, new Map([[editKey('', place(1)), row(1)]]))
  expect(target(edit(1))).toEqual({ ...row(1), edit: mark(1, 'b').mark })
  expect(target(edit(2))).toBeUndefined()
})
