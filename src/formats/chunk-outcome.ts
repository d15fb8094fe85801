import type { Entry } from '../contract/entry.ts'
import type { MergeResult } from '../contract/store/log-exchange.ts'
import { entryId } from '../domain/address.ts'
import { midOf } from './mid-of.ts'

/** The result of merging a chunk of entries. */
export interface ChunkOutcome<T> {
  /** The number of new entries that belong to nodes. */
  readonly added: number
  /** The refused entries with the reasons. An entry about the session or other entries has no node. */
  readonly refused: readonly { readonly node: T | undefined; readonly reason: string }[]
}

/** @param nodes - the nodes of the entries, by the host message ids of the entries */
export function chunkOutcome<T>(
  chunk: readonly Entry[],
  { known, refused }: MergeResult,
  nodes: ReadonlyMap<string, T>,
): ChunkOutcome<T> {
  const reasons = new Map(refused.map(({ id, reason }) => [id, reason]))
  const left: { readonly node: T | undefined; readonly reason: string }[] = []
  let taken = 0
  for (const entry of chunk) {
    const node = nodes.get(midOf(entry))
    const reason = reasons.get(entryId(entry.w, entry.s))
    if (reason !== undefined) left.push({ node, reason })
    else if (node !== undefined) taken += 1
  }
  // Without locks, another tab may have imported the same entries in the meantime.
  return { added: Math.max(0, taken - known), refused: left }
}
