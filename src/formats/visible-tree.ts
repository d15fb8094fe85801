import type { Entry } from '../contract/entry.ts'
import type { CompactionRow } from '../contract/rows.ts'
import { type ExportNode, exportTree } from '../domain/export-tree.ts'
import { type FoldedEntry, foldEntries, type SessionFold } from '../domain/fold.ts'
import { hasCopies } from '../domain/has-copies.ts'
import { isBranchDeleted, isCut, type Line, lineOf, segmentOf } from '../domain/line.ts'
import { shownAmong } from '../domain/shown-among.ts'

/** The entries of a session that are visible on any of its lines, as a tree. */
export interface VisibleTree {
  readonly fold: SessionFold
  /** Messages and other line entries, and compactions; parents first, otherwise in the order of writing. */
  readonly nodes: readonly ExportNode[]
  /** The last entry on the head line; absent when that is empty. */
  readonly leaf?: FoldedEntry
}

/**
 * Makes the tree of everything a user can scroll to. Entries that were removed, purged, cut on every line, or are only
 * on deleted branches are left out. Their children are attached to the visible entry before them on their own line. A
 * compaction stays as long as it is active.
 */
export function visibleTree(entries: readonly Entry[]): VisibleTree {
  const fold = foldEntries(entries)
  const { cold, head } = fold
  const lines = new Map<string, Line>()
  for (const branch of ['', ...Object.keys(cold.branches)]) {
    const line = branch !== '' && isBranchDeleted(cold, branch) ? undefined : lineOf(cold, branch)
    if (line !== undefined) lines.set(branch, line)
  }
  const copied = hasCopies(fold.rows) ? fold.rows : []
  const shown = new Map([...lines.values()].map((line) => [line, shownAmong(line, copied)]))
  const isSeen = (line: Line, entry: FoldedEntry): boolean => {
    if (entry.type !== 'compaction') return shown.get(line)!(entry).transcript
    const segment = segmentOf(line, entry)
    if (segment < 0) return false
    return !isCut(line, segment, entry) || isActive(fold, line, entry)
  }
  // A visible copy is shown with the latest edit of any copy.
  const views = [...shown]
    .toSorted(([a], [b]) => Number(b.branch === head) - Number(a.branch === head))
    .map(([, view]) => view)
  const asShown = (stored: FoldedEntry): FoldedEntry => {
    for (const view of views) {
      const { transcript, row } = view(stored)
      if (transcript) return row
    }
    return stored
  }
  const rows = copied.length === 0 ? fold.rows : fold.rows.map(asShown)
  const raw = exportTree(cold, [...rows, ...entries.filter(({ type }) => type === 'compaction')])
  const byEntry = new Map(raw.map((node) => [node.entry, node]))
  const seen = new Set(
    raw.map(({ entry }) => entry).filter((entry) => [...lines.values()].some((line) => isSeen(line, entry))),
  )
  const nodes: ExportNode[] = []
  for (const node of raw) {
    const { entry } = node
    if (!seen.has(entry)) continue
    const own = lines.get(entry.branch)
    const isParent =
      own !== undefined && isSeen(own, entry)
        ? (above: FoldedEntry) => isSeen(own, above)
        : (above: FoldedEntry) => seen.has(above)
    let { parent } = node
    while (parent !== undefined && !isParent(parent)) parent = byEntry.get(parent)?.parent
    if (parent === node.parent) nodes.push(node)
    else nodes.push(parent === undefined ? { entry } : { entry, parent })
  }
  const headLine = lines.get(head)
  let leaf: FoldedEntry | undefined
  for (const { entry } of nodes)
    if (headLine !== undefined && isSeen(headLine, entry) && (leaf === undefined || leaf.order < entry.order))
      leaf = entry
  return { fold, nodes, ...(leaf === undefined ? {} : { leaf }) }
}

/** Whether an entry is the compaction with the line's summary. */
function isActive({ cold }: SessionFold, line: Line, { type, w, s }: FoldedEntry): boolean {
  const compaction: CompactionRow | undefined = line.compaction?.cut
  return (
    type === 'compaction' &&
    compaction?.w === w &&
    compaction.s === s &&
    compaction.clock > (cold.fields['summary']?.[0] ?? '')
  )
}
