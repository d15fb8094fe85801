import type { Entry } from '../../../contract/entry.ts'
import { isSessionError } from '../../../contract/errors.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import type { FileNode } from '../../../formats/store-tree.ts'
import { timeOf } from '../../../formats/time.ts'
import { checkpointEntry } from './aixgo-checkpoint.ts'
import type { FoundCheckpoint } from './read-aixgo-companions.ts'
import type { AixgoMeta } from './read-aixgo-index.ts'

/** Turns checkpoints into entries. One that doesn't match the log is skipped and reported. */
export function* checkpointEntries(
  source: string,
  checkpoints: readonly FoundCheckpoint[],
  nodes: readonly FileNode[],
  placeOf: (id: string) => Entry | undefined,
  skipped: SkippedLines,
): Generator<void, readonly Entry[], undefined> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const entries: Entry[] = []
  for (const { path, checkpoint } of checkpoints) {
    try {
      entries.push(yield* checkpointEntry(source, checkpoint, byId, placeOf))
    } catch (error) {
      if (!isSessionError(error)) throw error
      skipped.add(0, error.message, path)
    }
  }
  return entries
}

/**
 * Makes entries with a session's metadata: its creation time, and the fields of the index. `custom.aixgo` keeps the
 * times with all their digits.
 */
export function metaEntries(
  source: string,
  { agentName, userId, createdAt, updatedAt }: AixgoMeta = {},
  { id, directory, aliases }: { readonly id: string; readonly directory: string; readonly aliases: readonly string[] },
): readonly Entry[] {
  const agentId = agentName ?? directory.slice(directory.lastIndexOf('/') + 1)
  const times = { ...(createdAt === undefined ? {} : { createdAt }), ...(updatedAt === undefined ? {} : { updatedAt }) }
  const set = {
    id,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(agentId === '' ? {} : { agentId }),
    ...(userId === undefined ? {} : { userId }),
    ...(Object.keys(times).length === 0 ? {} : { custom: { aixgo: times } }),
  }
  const at = timeOf(updatedAt) ?? 0
  const madeAt = timeOf(createdAt) ?? 0
  return [...(madeAt === 0 ? [] : [metaEntry(source, {}, madeAt, 0)]), metaEntry(source, set, at, at)]
}
