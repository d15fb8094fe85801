import type { BranchPreview } from '../client/branches/branch-types.ts'

/** A branch in the order of a tree. */
export interface BranchLine {
  readonly branch: BranchPreview
  /** 1 for a line that forks from none that is listed. */
  readonly level: number
}

/** The branches as a tree: each behind the one it forks from, the oldest first. Deep trees are no problem. */
export function branchLines(branches: readonly BranchPreview[]): readonly BranchLine[] {
  const known = new Set(branches.map(({ id }) => id))
  const children = new Map<string | undefined, BranchPreview[]>()
  for (const branch of branches) {
    // A deleted branch is not listed, though others may fork from it.
    const parent = branch.fork !== undefined && known.has(branch.fork.branch) ? branch.fork.branch : undefined
    const own = parent === branch.id ? undefined : parent
    const list = children.get(own) ?? []
    list.push(branch)
    children.set(own, list)
  }
  for (const list of children.values()) list.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const lines: BranchLine[] = []
  const left = (children.get(undefined) ?? []).map((branch) => ({ branch, level: 1 }))
  for (let line = left.pop(); line !== undefined; line = left.pop()) {
    lines.push(line)
    const { level } = line
    for (const branch of children.get(line.branch.id) ?? []) left.push({ branch, level: level + 1 })
  }
  return lines
}

/** The place that a key goes to in the tree; `undefined` for a key that goes nowhere. */
export function targetOfTreeKey(key: string, at: number, lines: readonly BranchLine[]): number | undefined {
  const level = lines[at]?.level ?? 1
  switch (key) {
    case 'ArrowDown':
      return at + 1
    case 'ArrowUp':
      return at - 1
    case 'ArrowLeft':
      return Math.max(
        0,
        lines.slice(0, at).findLastIndex((line) => line.level < level),
      )
    case 'ArrowRight':
      return (lines[at + 1]?.level ?? 0) > level ? at + 1 : at
    case 'Home':
      return 0
    case 'End':
      return lines.length - 1
    default:
      return undefined
  }
}
