import type { BranchInfo, EntryView } from '../../src/index.ts'

/** A place where the line on the screen and others part. */
export interface Fork {
  /** Names the place, whatever line is shown. */
  readonly id: string
  /** The first entry after it on the line shown; `undefined` when the line has none yet. */
  readonly entry: EntryView | undefined
  /** The branches that go on from here: the one left first, then those that leave it, oldest first. */
  readonly choices: readonly string[]
  /** Position of the one shown among the choices. */
  readonly shown: number
}

type Branches = ReadonlyMap<string, BranchInfo>
type Point = NonNullable<BranchInfo['fork']>

/**
 * Finds the forks along the line shown, as far as it is loaded.
 *
 * @param entries - the line shown, or its newest part
 * @param head - the branch shown
 * @param more - whether the line has entries before these
 */
export function findForks(entries: readonly EntryView[], branches: readonly BranchInfo[], head: string, more: boolean): readonly Fork[] {
  const byId: Branches = new Map(branches.map((branch) => [branch.id, branch]))
  const line = lineage(byId, head)
  const leaving = new Map<string, { readonly at: Point; readonly children: BranchInfo[] }>()

  for (const branch of branches) {
    const at = forkPoint(byId, branch)
    if (at === undefined || !line.includes(at.branch) || hasLeftBefore(byId, line, at)) continue
    const id = `${at.branch} ${at.order}`
    const children = leaving.get(id)?.children ?? []
    leaving.set(id, { at, children: [...children, branch] })
  }

  return [...leaving].flatMap(([id, { at, children }]) => {
    const index = entries.findIndex((entry) => entry.order > at.order)
    // Before the first entry loaded there may be others after the fork.
    if (index === 0 && more) return []
    const choices = [at.branch, ...children.sort((a, b) => a.createdAt - b.createdAt).map((child) => child.id)]
    const shown = choices.indexOf(line.find((branch) => choices.includes(branch)) ?? at.branch)
    return [{ id, entry: entries[index], choices, shown }]
  })
}

/** A branch and those it leaves, itself first. */
function lineage(byId: Branches, id: string): readonly string[] {
  const line = [id]
  for (let fork = byId.get(id)?.fork; fork !== undefined; fork = byId.get(fork.branch)?.fork) line.push(fork.branch)
  return line
}

/** Where a branch really leaves: a fork before the first entry of its parent's own is a fork of the parent's parent. */
function forkPoint(byId: Branches, branch: BranchInfo): Point | undefined {
  let { fork } = branch
  while (fork !== undefined) {
    const above: Point | undefined = byId.get(fork.branch)?.fork
    if (above === undefined || fork.order > above.order) break
    fork = { branch: above.branch, order: fork.order }
  }
  return fork
}

/** Whether the line goes off the point's branch before it gets there. */
function hasLeftBefore(byId: Branches, line: readonly string[], at: Point): boolean {
  return line.some((id) => {
    const fork = byId.get(id)?.fork
    return fork?.branch === at.branch && fork.order < at.order
  })
}
