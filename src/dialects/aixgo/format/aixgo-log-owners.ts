import { splitPath } from '../../../formats/split-path.ts'
import type { FileNode } from '../../../formats/store-tree.ts'
import type { AixgoCompanions, FoundRow } from './read-aixgo-companions.ts'

/** The form of the ids that Aixgo gives its sessions. Logs are named by them. */
const isSessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The session that a log belongs to, as far as it is known. */
interface LogOwner {
  readonly id: string | undefined
  readonly row: FoundRow | undefined
}

/** Finds the session that a log belongs to: a log doesn't name it. */
export interface LogOwners {
  /** The row of an index that is in the same folder as the log, which is how Aixgo writes them. */
  rowNextTo(path: string): FoundRow | undefined
  ownerOf(path: string, nodes: readonly FileNode[]): LogOwner
}

export function createLogOwners({ rows, checkpoints }: AixgoCompanions): LogOwners {
  const rowByLog = new Map(rows.map((row) => [`${row.directory}\n${row.id}`, row]))
  const rowByLeaf = new Map(rows.map((row) => [row.meta.currentLeaf, row]))
  const rowById = new Map(rows.map((row) => [row.id, row]))
  const sessionByEntry = new Map(
    [...checkpoints].flatMap(([id, found]) => found.map(({ checkpoint: { entryId } }) => [entryId, id] as const)),
  )
  const rowNextTo = (path: string): FoundRow | undefined => {
    const { directory, stem } = splitPath(path)
    return rowByLog.get(`${directory}\n${stem}`)
  }
  return {
    rowNextTo,
    ownerOf: (path, nodes) => {
      const { stem } = splitPath(path)
      const leaf = nodes.findLast((node) => rowByLeaf.has(node.id))
      const row = rowNextTo(path) ?? (leaf && rowByLeaf.get(leaf.id)) ?? rowById.get(stem)
      const saved = nodes.find((node) => sessionByEntry.has(node.id))
      const id = row?.id ?? (saved && sessionByEntry.get(saved.id)) ?? (isSessionId.test(stem) ? stem : undefined)
      return { id, row }
    },
  }
}
