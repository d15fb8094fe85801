import type { Entry } from '../contract/entry.ts'
import type { MergeResult } from '../contract/store/log-exchange.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { abortError } from './byte-source.ts'

/**
 * The maximum number of entries in one transaction, and the approximate amount of their data, so that planning it does
 * not keep a page busy for long.
 */
const chunkEntries = 500
const chunkBytes = 256 * 1024

export interface MergeEntriesOptions {
  /** Stops between two chunks. */
  readonly signal: AbortSignal | undefined
  /** The approximate size of an entry in bytes. */
  readonly bytesOf: (entry: Entry) => number
  /** Whether missing entries of a writer are lost for good, so that later ones are accepted nevertheless. */
  readonly gapsAreLost?: boolean
  /** Called after each chunk. */
  readonly onChunk: (chunk: readonly Entry[], result: MergeResult) => void
}

/**
 * Merges many entries in chunks. Only the last one is stored `strict`, which also guarantees the earlier ones, because
 * they are in the same database.
 *
 * @throws Aborted
 */
export async function mergeEntries(
  store: Pick<SessionStore, 'merge'>,
  key: string,
  entries: readonly Entry[],
  { signal, bytesOf, gapsAreLost = false, onChunk }: MergeEntriesOptions,
): Promise<void> {
  for (let from = 0; from < entries.length; ) {
    if (signal?.aborted) throw abortError()
    let to = from
    for (let bytes = 0; to < entries.length && to - from < chunkEntries && (to === from || bytes <= chunkBytes); to++)
      bytes += bytesOf(entries[to]!)
    // The entry that opens a branch is stored together with the first one on it, so that an interrupted import leaves
    // no empty branch.
    if (to < entries.length && to - from > 1 && entries[to - 1]!.type === 'branch') to -= 1
    const chunk = entries.slice(from, to)
    onChunk(
      chunk,
      await store.merge(key, chunk, { durability: to === entries.length ? 'strict' : 'relaxed', gapsAreLost }),
    )
    from = to
  }
}
