import type { BranchInfo } from '../contract/meta.ts'

/** A branch, and the facts that connect it to others. */
export type TiedBranch = Pick<BranchInfo, 'id' | 'fork' | 'createdAt'> & {
  /** Whether it can be shown itself. A deleted branch still carries the branches that leave it. */
  readonly isOpen: boolean
}

/** Where a branch leaves its parent. */
export type ForkPoint = NonNullable<BranchInfo['fork']>

/** A place where lines separate. */
export interface BranchFork {
  readonly id: string
  readonly at: ForkPoint
  /** The branches that continue from here, and the line that each leads to. */
  readonly choices: readonly { readonly branch: string; readonly line: string }[]
  /** The index of the choice that leads to the head; −1 when none does. */
  readonly shown: number
}

/** The line that represents a choice: the head if it belongs to the choice, otherwise the newest. */
interface Leading {
  readonly line: string
  readonly rank: number
}

/** The branches that leave a branch, by place. */
type Leaving = ReadonlyMap<string, { readonly at: ForkPoint; readonly branches: readonly string[] }>

/**
 * Finds every place where lines separate and at least two of them can be shown. The choice to stay on the branch comes
 * first, then the branches that leave it, oldest first.
 */
export function findForks(branches: readonly TiedBranch[], head: string): readonly BranchFork[] {
  const points = forkPoints(branches)
  const oldestFirst = branches.toSorted((a, b) => a.createdAt - b.createdAt)
  const own = new Map(
    oldestFirst.flatMap(({ id, isOpen }, i): [string, Leading][] =>
      isOpen ? [[id, { line: id, rank: id === head ? Number.POSITIVE_INFINITY : i }]] : [],
    ),
  )
  const below = leadingBelow(points, own)
  const places = placesOf(oldestFirst, points)
  const beyond = leadingBeyond(places, own, below)
  return [...places].flatMap(([id, { at, branches: ways }]) => {
    const choices = [
      { branch: at.branch, leading: beyond.get(id) },
      ...ways.map((branch) => ({ branch, leading: below.get(branch) })),
    ].flatMap(({ branch, leading }) => (leading === undefined ? [] : [{ branch, line: leading.line }]))
    return choices.length < 2 ? [] : [{ id, at, choices, shown: choices.findIndex(({ line }) => line === head) }]
  })
}

function placesOf(oldestFirst: readonly TiedBranch[], points: ReadonlyMap<string, ForkPoint | undefined>): Leaving {
  const places = new Map<string, { readonly at: ForkPoint; readonly branches: string[] }>()
  for (const { id } of oldestFirst) {
    const at = points.get(id)
    if (at === undefined) continue
    const place = `${at.branch} ${at.order}`
    const known = places.get(place)
    if (known === undefined) places.set(place, { at, branches: [id] })
    else known.branches.push(id)
  }
  return places
}

/**
 * For each branch the representative among itself and all branches that leave it, directly or not. A branch is handled
 * after all branches below it.
 */
function leadingBelow(
  points: ReadonlyMap<string, ForkPoint | undefined>,
  own: ReadonlyMap<string, Leading>,
): ReadonlyMap<string, Leading> {
  const below = new Map(own)
  const waiting = new Map<string, number>()
  for (const at of points.values()) if (at !== undefined) waiting.set(at.branch, (waiting.get(at.branch) ?? 0) + 1)
  const ready = [...points.keys()].filter((id) => !waiting.has(id))
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const above = points.get(id)?.branch
    if (above === undefined) continue
    const leading = ahead(below.get(above), below.get(id))
    if (leading !== undefined) below.set(above, leading)
    const left = waiting.get(above)! - 1
    waiting.set(above, left)
    if (left === 0) ready.push(above)
  }
  return below
}

/**
 * For each place the representative among the lines that stay on the branch there: the branch itself, and branches that
 * leave it later.
 */
function leadingBeyond(
  places: Leaving,
  own: ReadonlyMap<string, Leading>,
  below: ReadonlyMap<string, Leading>,
): ReadonlyMap<string, Leading | undefined> {
  const beyond = new Map<string, Leading | undefined>()
  const soFar = new Map<string, Leading | undefined>()
  for (const [id, { at, branches }] of [...places].sort(([, a], [, b]) => (a.at.order < b.at.order ? 1 : -1))) {
    let leading = soFar.has(at.branch) ? soFar.get(at.branch) : own.get(at.branch)
    beyond.set(id, leading)
    for (const branch of branches) leading = ahead(leading, below.get(branch))
    soFar.set(at.branch, leading)
  }
  return beyond
}

const ahead = (a: Leading | undefined, b: Leading | undefined): Leading | undefined =>
  a === undefined || (b !== undefined && b.rank > a.rank) ? b : a

/**
 * The real fork points of branches: a fork before the first own entry of its parent is a fork of the parent's parent.
 */
function forkPoints(branches: readonly TiedBranch[]): ReadonlyMap<string, ForkPoint | undefined> {
  const named = new Map(branches.map(({ id, fork }) => [id, fork]))
  const resolve = (fork: ForkPoint | undefined): ForkPoint | undefined => {
    let at = fork
    for (
      let above = at && named.get(at.branch);
      at !== undefined && above !== undefined && at.order <= above.order;
      above = named.get(at.branch)
    )
      at = { branch: above.branch, order: at.order }
    return at
  }
  return new Map(branches.map(({ id, fork }) => [id, resolve(fork)]))
}
