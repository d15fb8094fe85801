import { entryId } from '../../../domain/address.ts'
import type { ExportNode } from '../../../domain/export-tree.ts'
import type { FoldedEntry } from '../../../domain/fold.ts'
import { lineOf } from '../../../domain/line.ts'
import type { VisibleTree } from '../../../formats/visible-tree.ts'

/**
 * Adds compactions where pi looks for them. Here a branch inherits the compaction that its parent line had when the
 * branch was opened, wherever it forks. In pi a compaction counts only for its descendants. So a branch that forks
 * before the compaction that it inherits begins with a copy of it.
 */
export function inheritCompactions({ fold: { cold }, nodes }: VisibleTree): readonly ExportNode[] {
  const compactions = new Map(
    nodes.filter(({ entry }) => entry.type === 'compaction').map(({ entry }) => [entryId(entry.w, entry.s), entry]),
  )
  if (compactions.size === 0) return nodes
  const begun = new Set([''])
  const all: ExportNode[] = []
  const nodeOf = new Map<FoldedEntry, ExportNode>()
  const add = (node: ExportNode): void => {
    nodeOf.set(node.entry, node)
    all.push(node)
  }
  /** The newest compaction above an entry. */
  const newestAbove = (node: ExportNode): string => {
    let newest = ''
    for (let at = node.parent; at !== undefined; at = nodeOf.get(at)?.parent)
      if (at.type === 'compaction' && at.order > newest) newest = at.order
    return newest
  }
  for (const node of nodes) {
    const { entry } = node
    const isFirst = !begun.has(entry.branch)
    begun.add(entry.branch)
    const active = isFirst && entry.type !== 'compaction' ? lineOf(cold, entry.branch)?.compaction?.cut : undefined
    const compaction = active === undefined || active.clock > entry.order ? undefined : compactions.get(active.id)
    if (compaction === undefined || compaction.order <= newestAbove(node)) {
      add(node)
      continue
    }
    const { firstKeptEntryId: _, mid, ...data } = compaction.data
    const name = typeof mid === 'string' ? mid : entryId(compaction.w, compaction.s)
    const copy = { ...compaction, data: { tokensBefore: 0, ...data, mid: `${name}@${entry.branch}` } }
    add({ ...node, entry: copy })
    add({ entry, parent: copy })
  }
  return all
}
