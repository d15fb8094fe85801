import type { Entry } from '../contract/entry.ts'
import type { MergeResult } from '../contract/store/log-exchange.ts'
import { entryId } from '../domain/address.ts'
import { midOf } from './mid-of.ts'

/** What became of the entries of a chunk that was merged. */
export interface ChunkOutcome<T> {
  /** Entries that stand for nodes and are new. */
  readonly added: number
  /** What was refused and why. Without a node it is an entry about the session or others. */
  readonly refused: readonly { readonly node: T | undefined; readonly reason: string }[]
}

/**
 * @param nodes - what the entries stand for, by the ids they are known by
 */
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
  // Where there are no locks, another tab may have brought in the same entries meanwhile.
  return { added: Math.max(0, taken - known), refused: left }
}
