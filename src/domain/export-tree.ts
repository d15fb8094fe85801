import type { ColdRow } from '../contract/rows.ts'
import { entryId } from './address.ts'
import { compareClocks } from './clock.ts'
import { isControl } from './control.ts'
import type { FoldedEntry } from './fold.ts'
import { lineAt, segmentOf } from './line.ts'
import { parentsFirst } from './parents-first.ts'
import { inRanges } from './version-vector.ts'

/** An entry and its parent. */
export interface ExportNode {
  readonly entry: FoldedEntry
  /** Absent for a root. */
  readonly parent?: FoldedEntry
  /** The id of a root's parent in the source, when the source named one that is not here. */
  readonly parentId?: string
}

/**
 * The entries of a session as a tree: the parent of an entry is the one before it on its own branch's raw line,
 * compactions included. Parents come first, otherwise the order of writing applies.
 *
 * @param entries - every entry of the session, edits applied; control entries other than compactions are skipped
 */
export function exportTree(cold: ColdRow, entries: Iterable<FoldedEntry>): readonly ExportNode[] {
  const lanes = new Map<string, FoldedEntry[]>()
  for (const entry of entries) {
    if (isControl(entry.type) ? entry.type !== 'compaction' : inRanges(cold.purged, entry.w, entry.s)) continue
    const lane = lanes.get(entry.branch)
    if (lane === undefined) lanes.set(entry.branch, [entry])
    else lane.push(entry)
  }
  for (const lane of lanes.values()) lane.sort((a, b) => (a.order < b.order ? -1 : 1))
  const nodes: ExportNode[] = []
  for (const [branch, lane] of lanes) {
    const fork = cold.branches[branch]?.fork
    const before = fork === undefined ? undefined : lastAt(cold, fork, lanes)
    lane.forEach((entry, i) => {
      const parent = i === 0 ? before : lane[i - 1]
      if (parent !== undefined) nodes.push({ entry, parent })
      else nodes.push(fork?.id === undefined ? { entry } : { entry, parentId: fork.id })
    })
  }
  const links = nodes
    .sort((a, b) => compareClocks(a.entry.clock, b.entry.clock) || a.entry.w - b.entry.w)
    .map((node) => ({ id: idOf(node.entry), parentId: node.parent === undefined ? null : idOf(node.parent), node }))
  return parentsFirst(links).map(({ node }) => node.node)
}

function idOf(entry: FoldedEntry): string {
  return entryId(entry.w, entry.s)
}

/** The last entry of a line at a fork point. */
function lastAt(
  cold: ColdRow,
  fork: ColdRow['branches'][string]['fork'],
  lanes: ReadonlyMap<string, readonly FoldedEntry[]>,
): FoldedEntry | undefined {
  const line = lineAt(cold, { ...fork, cuts: '' })
  for (const { branch } of line?.segments.toReversed() ?? []) {
    const last = lanes.get(branch)?.findLast((entry) => segmentOf(line!, entry) >= 0)
    if (last !== undefined) return last
  }
  return undefined
}
