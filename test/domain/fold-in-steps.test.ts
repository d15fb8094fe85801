import { expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { contextInSteps, pathContext } from '../../src/dialects/pi/rules/path-context.ts'
import { foldEntries, foldInSteps } from '../../src/domain/fold.ts'
import { importTree } from '../../src/domain/import-tree.ts'
import { pathInSteps, pathTo } from '../../src/domain/path-to.ts'
import { sortByOrder } from '../../src/domain/sort-by-order.ts'
import { atOnce, type Steps } from '../../src/domain/steps.ts'

const size = 5000
/** A line, by one writer. */
const log: readonly Entry[] = importTree(
  'source',
  Array.from({ length: size }, (_, i) => ({
    id: `n${i}`,
    parentId: i === 0 ? null : `n${i - 1}`,
    type: 'message',
    data: { message: { role: i % 2 === 0 ? 'user' : 'assistant', content: `${i}` } },
    at: i,
  })),
)

function counted<Result>(steps: Steps<Result>): { readonly result: Result; readonly count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next()
    if (done === true) return { result: value, count }
  }
}

it('folds a long log in many small steps, to the same end', () => {
  const shuffled = log.toSorted((a, b) => (a.s % 7) - (b.s % 7))
  const { result: fold, count } = counted(foldInSteps([...shuffled, ...shuffled.slice(0, 9)]))
  expect(fold).toEqual(foldEntries(log))
  expect(count).toBeGreaterThan(size / 100)
  const end = { branch: '', order: fold.rows.at(-1)!.order }
  const path = counted(pathInSteps(fold, end))
  expect(path.result.rows).toEqual(pathTo(fold, end).rows)
  expect(path.count).toBeGreaterThan(size / 300)
  const context = counted(contextInSteps(path.result))
  expect(context.result).toEqual(pathContext(path.result))
  expect(context.result.messages).toHaveLength(size)
  expect(context.count).toBeGreaterThan(size / 300)
})

it.each([
  ['nothing', []],
  ['one', [3]],
  ['what ascends', [1, 2, 3, 4]],
  ['what descends', [4, 3, 2, 1, 0]],
  ['several of one order', [2, 1, 2, 1, 2]],
])('sorts %s', (_, numbers) => {
  const items = numbers.map((number, at) => ({ order: String(number), at }))
  expect(atOnce(sortByOrder(items))).toEqual(items.toSorted((a, b) => Number(a.order) - Number(b.order)))
})
