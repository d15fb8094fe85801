import { createBridge, type Gap } from '../../../formats/gaps.ts'
import type { PiNode } from './pi-entry.ts'

/**
 * Sets the links that depend on the whole file: parents across skipped lines, and the first entry that a compaction
 * keeps.
 *
 * @param gapsBefore - skipped lines right before an entry, by the entry's index in `nodes`
 */
export function linkPiNodes(
  nodes: readonly PiNode[],
  gaps: readonly Gap[],
  gapsBefore: ReadonlyMap<number, Gap>,
  isEntry: (id: string) => boolean,
): readonly PiNode[] {
  const bridge = createBridge(gaps, isEntry)
  /** The first entry after each gap that has one. */
  const after = new Map<string, string>()
  return nodes.map((node, i) => {
    let next = node
    if (node.parentId !== null && !isEntry(node.parentId)) {
      const parentId = bridge(node.parentId, gapsBefore.get(i))
      if (parentId !== undefined) {
        if (!after.has(node.parentId)) after.set(node.parentId, node.id)
        next = { ...next, parentId }
      }
    }
    if (node.type !== 'compaction') return next
    const { firstKeptEntryIndex, ...data } = node.data
    if (typeof firstKeptEntryIndex === 'number' && node.firstKept === undefined) {
      // Version 1. Index 0 is the header, which can't be kept.
      const kept = firstKeptEntryIndex > 0 ? nodes.find(({ index }) => index >= firstKeptEntryIndex)?.id : undefined
      return kept === undefined
        ? { ...next, data }
        : { ...next, data: { ...data, firstKeptEntryId: kept }, firstKept: kept }
    }
    const kept = after.get(node.firstKept ?? '')
    return kept === undefined ? next : { ...next, firstKept: kept }
  })
}
