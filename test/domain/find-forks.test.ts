import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BranchFork, findForks, type TiedBranch } from '../../src/domain/find-forks.ts'

const branch = (id: string, above?: string, order = '', createdAt = 0, isOpen = true): TiedBranch => ({
  id,
  createdAt,
  isOpen,
  ...(above === undefined ? {} : { fork: { branch: above, order } }),
})

/** The same by its meaning: each line is followed from its end, at each place. */
function byMeaning(branches: readonly TiedBranch[], head: string): readonly BranchFork[] {
  const named = new Map(branches.map((one) => [one.id, one]))
  const resolve = (fork: TiedBranch['fork']): TiedBranch['fork'] => {
    const above = fork && named.get(fork.branch)?.fork
    return above === undefined || fork === undefined || fork.order > above.order
      ? fork
      : resolve({ branch: above.branch, order: fork.order })
  }
  const leaves = new Map(branches.map(({ id, fork }) => [id, resolve(fork)]))
  const chainOf = (id: string): readonly string[] => [
    id,
    ...(leaves.get(id) === undefined ? [] : chainOf(leaves.get(id)!.branch)),
  ]
  const oldestFirst = branches.toSorted((a, b) => a.createdAt - b.createdAt)
  const placed = oldestFirst.flatMap((one): [string, TiedBranch][] => {
    const at = leaves.get(one.id)
    return at === undefined ? [] : [[`${at.branch} ${at.order}`, one]]
  })
  const places = new Map(
    placed.map(([place]) => [place, placed.filter(([other]) => other === place).map(([, one]) => one)]),
  )
  return [...places].flatMap(([id, leaving]) => {
    const at = leaves.get(leaving[0]!.id)!
    const ways = [at.branch, ...leaving.map((one) => one.id)]
    const lines = oldestFirst
      .filter(({ isOpen }) => isOpen)
      .map((one) => chainOf(one.id))
      .filter(
        (chain) =>
          chain.includes(at.branch) &&
          !chain.some((one) => leaves.get(one)?.branch === at.branch && leaves.get(one)!.order < at.order),
      )
    const choices = ways.flatMap((way) => {
      const taking = lines.filter((chain) => chain.find((one) => ways.includes(one)) === way).map(([line]) => line!)
      const line = taking.includes(head) ? head : taking.at(-1)
      return line === undefined ? [] : [{ branch: way, line }]
    })
    return choices.length < 2 ? [] : [{ id, at, choices, shown: choices.findIndex(({ line }) => line === head) }]
  })
}

/** Any tree: each branch leaves one that was opened before it. */
const trees = fc
  .array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 6 }), fc.boolean()), {
    maxLength: 12,
  })
  .map((made) =>
    made.reduce<readonly TiedBranch[]>(
      (known, [above, order, createdAt, isOpen], i) => [
        ...known,
        branch(`b${i}`, known[above % known.length]!.id, order === 0 ? '' : String(order), createdAt, isOpen),
      ],
      [branch('')],
    ),
  )

describe('forks', () => {
  it('are those that following every line gives', () => {
    fc.assert(
      fc.property(trees, fc.nat(), (branches, which) => {
        const open = branches.filter(({ isOpen }) => isOpen)
        const head = open[which % open.length]!.id
        expect(findForks(branches, head)).toEqual(byMeaning(branches, head))
      }),
      { numRuns: 500 },
    )
  })

  it('are found of thousands of branches at one place, and of thousands in a row', () => {
    const together = [branch(''), ...Array.from({ length: 5000 }, (_, i) => branch(`b${i}`, '', '1', i + 1))]
    expect(findForks(together, 'b7')).toMatchObject([{ choices: { length: 5001 }, shown: 8 }])
    const inARow = [
      branch(''),
      ...Array.from({ length: 5000 }, (_, i) =>
        branch(`b${i}`, i === 0 ? '' : `b${i - 1}`, String(i).padStart(5, '0'), i + 1),
      ),
    ]
    expect(findForks(inARow, '')).toHaveLength(5000)
  })
})
