import type { Entry } from '../contract/entry.ts'
import type { MergeResult } from '../contract/store/log-exchange.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { abortError } from './byte-source.ts'

/**
 * Entries, and about how much data, in one transaction: what a store plans in one go without keeping its page busy for
 * long.
 */
const chunkEntries = 500
const chunkBytes = 256 * 1024

export interface MergeEntriesOptions {
  /** Stops between two chunks. */
  readonly signal: AbortSignal | undefined
  /** About how many bytes an entry has. */
  readonly bytesOf: (entry: Entry) => number
  /** Whether what is missing of a writer is lost for good, so that the entries behind it are taken all the same. */
  readonly gapsAreLost?: boolean
  /** Called after each chunk. */
  readonly onChunk: (chunk: readonly Entry[], result: MergeResult) => void
}

/**
 * Merges many entries, in chunks. Only the last one is stored `strict`: what that promises holds for everything before
 * it, which lies in the same database.
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
    // The entry that opens a branch goes with the first one on it, so that an import that breaks off leaves no empty
    // branch.
    if (to < entries.length && to - from > 1 && entries[to - 1]!.type === 'branch') to -= 1
    const chunk = entries.slice(from, to)
    onChunk(
      chunk,
      await store.merge(key, chunk, { durability: to === entries.length ? 'strict' : 'relaxed', gapsAreLost }),
    )
    from = to
  }
}
