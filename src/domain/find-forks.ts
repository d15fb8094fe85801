import type { BranchInfo } from '../contract/meta.ts'

/** A branch by what ties it to the others. */
export type TiedBranch = Pick<BranchInfo, 'id' | 'fork' | 'createdAt'> & {
  /** Whether it can be shown itself. One that was deleted still carries those that leave it. */
  readonly isOpen: boolean
}

/** Where a branch leaves its parent. */
export type ForkPoint = NonNullable<BranchInfo['fork']>

/** A place where lines part. */
export interface BranchFork {
  readonly id: string
  readonly at: ForkPoint
  /** The branches that go on from here, and the line that each leads to. */
  readonly choices: readonly { readonly branch: string; readonly line: string }[]
  /** The choice that the head goes; −1 when it does not come by. */
  readonly shown: number
}

/** Finds every place where lines part and at least two of them can be shown. The branch that is left comes first, then those that leave it, oldest first. */
export function findForks(branches: readonly TiedBranch[], head: string): readonly BranchFork[] {
  const points = forkPoints(branches)
  const lines = branches.filter(({ isOpen }) => isOpen).toSorted((a, b) => a.createdAt - b.createdAt).map(({ id }) => ({ id, chain: chainOf(points, id) }))
  const leaving = new Map<string, { readonly at: ForkPoint; readonly branches: string[] }>()
  for (const { id } of branches.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const at = points.get(id)
    if (at === undefined) continue
    const place = `${at.branch} ${at.order}`
    const known = leaving.get(place)
    if (known === undefined) leaving.set(place, { at, branches: [at.branch, id] })
    else known.branches.push(id)
  }
  return [...leaving].flatMap(([id, { at, branches: ways }]) => {
    const passing = lines.filter(({ chain }) => chain.includes(at.branch) && !chain.some((branch) => leavesBefore(points, branch, at)))
    const choices = ways.flatMap((branch) => {
      const taking = passing.filter(({ chain }) => chain.find((one) => ways.includes(one)) === branch)
      const line = taking.find((one) => one.id === head) ?? taking.at(-1)
      return line === undefined ? [] : [{ branch, line: line.id }]
    })
    return choices.length < 2 ? [] : [{ id, at, choices, shown: choices.findIndex(({ line }) => line === head) }]
  })
}

/** Where branches really leave: a fork before the first entry of its parent's own is a fork of the parent's parent. */
function forkPoints(branches: readonly TiedBranch[]): ReadonlyMap<string, ForkPoint | undefined> {
  const named = new Map(branches.map(({ id, fork }) => [id, fork]))
  const resolve = (fork: ForkPoint | undefined): ForkPoint | undefined => {
    const above = fork && named.get(fork.branch)
    return above === undefined || fork === undefined || fork.order > above.order ? fork : resolve({ branch: above.branch, order: fork.order })
  }
  return new Map(branches.map(({ id, fork }) => [id, resolve(fork)]))
}

/** A branch and those it leaves, itself first. */
function chainOf(points: ReadonlyMap<string, ForkPoint | undefined>, id: string): readonly string[] {
  const chain: string[] = []
  for (let at: string | undefined = id; at !== undefined; at = points.get(at)?.branch) chain.push(at)
  return chain
}

function leavesBefore(points: ReadonlyMap<string, ForkPoint | undefined>, id: string, at: ForkPoint): boolean {
  const own = points.get(id)
  return own?.branch === at.branch && own.order < at.order
}
