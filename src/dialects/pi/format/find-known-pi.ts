import type { Entry } from '../../../contract/entry.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { findByMid } from '../../../formats/find-entry-by-mid.ts'
import type { PiNode } from './pi-entry.ts'
import { positionId } from './pi-entry.ts'
import { entrySteps, ownerId } from './pi-line-ids.ts'
import { renameReferences } from './rename-references.ts'

export interface KnownNodes {
  /** The nodes, with the ids under which they are stored. */
  readonly nodes: readonly PiNode[]
  /** The stored entries by that id. */
  readonly known: ReadonlyMap<string, Entry>
}

/**
 * Finds the entries of a log that a session already has. Entries of version 1 have no ids. When pi opens such a log, it
 * adds ids and rewrites the file. So an entry with an unknown id is also looked up by its position, and counts as the
 * entry found there if type and time are equal. References to it (in a label or a compaction) then refer to the stored
 * one. A message of several steps, which an export writes as several lines, is the entry of each of them.
 */
export async function findKnown(
  store: Pick<SessionStore, 'findByMid'>,
  key: string,
  nodes: readonly PiNode[],
): Promise<KnownNodes> {
  const known = await findByMid(
    store,
    key,
    nodes.map(({ id }) => id),
  )
  for (const { id } of nodes) {
    const owner = known.get(ownerId(id) ?? '')
    if (owner !== undefined && !known.has(id) && entrySteps(owner).length > 1) known.set(id, owner)
  }
  const strangers = nodes.filter(({ id }) => !known.has(id))
  const atPosition = await findByMid(
    store,
    key,
    strangers.map(({ index }) => positionId(index)),
  )
  if (atPosition.size === 0) return { nodes, known }
  const all = new Map(known)
  const renamed = nodes.map((node) => {
    const mid = positionId(node.index)
    const entry = known.has(node.id) ? undefined : atPosition.get(mid)
    if (entry === undefined || entry.type !== node.type || entry.at !== node.at || node.at === 0) return node
    all.set(mid, entry)
    return { ...node, mid }
  })
  const mids = new Map(renamed.map(({ id, mid }) => [id, mid]))
  return {
    nodes: renamed.map((node) => ({ ...node, data: renameReferences(node.type, node.data, (id) => mids.get(id)) })),
    known: all,
  }
}
