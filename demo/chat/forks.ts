import type { BranchInfo, EntryView } from '../../src/index.ts'

type Point = NonNullable<BranchInfo['fork']>
/** Where each branch leaves which; main is in it without a point. */
type Points = ReadonlyMap<string, Point | undefined>

/** A place where the line on the screen and others part. */
export interface Fork {
  /** Names the place, whatever line is shown. */
  readonly id: string
  /** The last place that its lines share. */
  readonly at: Point
  /** The first entry after it on the line shown; `undefined` when the line has none yet. */
  readonly entry: EntryView | undefined
  /** The branches that go on from here: the one left first, then those that leave it, oldest first. */
  readonly choices: readonly string[]
  /** Position of the one shown among the choices. */
  readonly shown: number
}

/**
 * Finds the forks along the line shown, as far as it is loaded.
 *
 * @param entries - the line shown, or its newest part
 * @param head - the branch shown
 * @param more - whether the line has entries before these
 */
export function findForks(
  entries: readonly EntryView[],
  branches: readonly BranchInfo[],
  head: string,
  more: boolean,
): readonly Fork[] {
  const points = forkPoints(branches)
  const line = lineage(points, head)
  const leaving = new Map<string, { readonly at: Point; readonly children: readonly BranchInfo[] }>()

  for (const branch of branches) {
    const at = points.get(branch.id)
    if (at === undefined || !line.includes(at.branch) || line.some((id) => leavesBefore(points, id, at))) continue
    const id = `${at.branch} ${at.order}`
    leaving.set(id, { at, children: [...(leaving.get(id)?.children ?? []), branch] })
  }

  return [...leaving].flatMap(([id, { at, children }]) => {
    const index = entries.findIndex((entry) => entry.order > at.order)
    // Before the first entry loaded there may be others after the fork.
    if (index === 0 && more) return []
    const choices = [at.branch, ...children.toSorted((a, b) => a.createdAt - b.createdAt).map((child) => child.id)]
    return [{ id, at, entry: entries[index], choices, shown: choices.indexOf(choiceOf(line, choices) ?? at.branch) }]
  })
}

/** The newest line that goes on from a fork by this choice: the choice itself, or one that leaves it further on. */
export function newestLine(branches: readonly BranchInfo[], { at, choices }: Fork, choice: string): string {
  const points = forkPoints(branches)
  const lines = branches.filter(({ id }) => {
    const line = lineage(points, id)
    return choiceOf(line, choices) === choice && !line.some((branch) => leavesBefore(points, branch, at))
  })
  return lines.toSorted((a, b) => a.createdAt - b.createdAt).at(-1)?.id ?? choice
}

/** Where branches really leave: a fork before the first entry of its parent's own is a fork of the parent's parent. */
function forkPoints(branches: readonly BranchInfo[]): Points {
  const named = new Map(branches.map(({ id, fork }) => [id, fork]))
  const resolve = (fork: Point | undefined): Point | undefined => {
    const above = fork && named.get(fork.branch)
    return above === undefined || fork === undefined || fork.order > above.order
      ? fork
      : resolve({ branch: above.branch, order: fork.order })
  }
  return new Map(branches.map(({ id, fork }) => [id, resolve(fork)]))
}

/** A branch and those it leaves, itself first. */
function lineage(points: Points, id: string): readonly string[] {
  const above = points.get(id)?.branch
  return above === undefined ? [id] : [id, ...lineage(points, above)]
}

/** Which of the choices a line takes: the nearest one. */
const choiceOf = (line: readonly string[], choices: readonly string[]): string | undefined =>
  line.find((branch) => choices.includes(branch))

/** Whether a branch leaves the point's branch before that gets there. */
function leavesBefore(points: Points, id: string, at: Point): boolean {
  const own = points.get(id)
  return own?.branch === at.branch && own.order < at.order
}
