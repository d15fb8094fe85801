import type { Entry, SequenceRanges } from '../../contract/entry.ts'
import type { MergeResult, SessionStore } from '../../contract/store.ts'
import { entryId, writerKey } from '../../domain/address.ts'
import { joinRanges, rangesBetween, withoutRanges } from '../../domain/version-vector.ts'
import { abortError } from '../byte-source.ts'
import { mergeEntries } from '../merge-entries.ts'
import { takeBack } from '../take-back.ts'
import type { ArchivedLog } from './session-file.ts'

export interface StoreArchivedOptions {
  readonly signal: AbortSignal | undefined
  /** @param line - of the session's file; absent: the file as a whole */
  readonly skip: (reason: string, line?: number) => void
  readonly onMerged: (result: Pick<MergeResult, 'added' | 'known'>) => void
}

type Store = Pick<SessionStore, 'merge' | 'getMeta' | 'resolveSessionKey' | 'purge' | 'usage' | 'delete'>

/** About how many bytes an entry has: chunks go by number, unless an entry is large. */
const textBytes = ({ data }: Entry): number => {
  const content = (data['message'] as { readonly content?: unknown } | undefined)?.content
  return typeof content === 'string' ? content.length : 200
}

/**
 * Merges a session of an archive into the one of its key. What `repair` took out of it before it was archived counts as lost here too, so that it
 * comes back where somebody still has it.
 *
 * @returns whether it could be: a session whose key is another one's alias here is left out
 * @throws Aborted; then a session that was not there before is gone again
 */
export async function storeArchived(store: Store, { key, entries }: ArchivedLog, { signal, skip, onMerged }: StoreArchivedOptions): Promise<boolean> {
  const owner = await store.resolveSessionKey(key)
  if (owner !== key) {
    skip(`its key ${JSON.stringify(key)} is an alias of session ${JSON.stringify(owner)} here`)
    return false
  }
  const before = await store.getMeta(key)
  if (signal?.aborted) throw abortError()
  const lineOf = new Map(entries.map(({ w, s }, i) => [entryId(w, s), i + 2]))
  let there = 0
  const onResult = (result: MergeResult): void => {
    there += result.added + result.known
    for (const { id, reason } of result.refused) skip(reason, lineOf.get(id) ?? 0)
    onMerged(result)
  }
  try {
    // What was purged leaves gaps, which a store takes only together with the entry that says so.
    const purged = entries.findLastIndex(({ type }) => type === 'purge') + 1
    const missing = countOf(missingRanges(entries))
    if (missing > 0) skip(`${missing} entries are not in it, which were lost before it was archived; the others were restored`)
    if (purged > 0) onResult(await store.merge(key, entries.slice(0, purged), { durability: 'strict', gapsAreLost: true }))
    await mergeEntries(store, key, entries.slice(purged), { signal, gapsAreLost: true, bytesOf: textBytes, onChunk: (_, result) => onResult(result) })
  } catch (error) {
    if (before === undefined) await takeBack(store, key, before, there)
    throw error
  }
  if (before !== undefined && !isDeletedIn(entries) && (await store.getMeta(key))?.deletedAt !== undefined) skip('its session was deleted here after it was archived, and stays so; undelete() shows it')
  return true
}

/** Whether the last word about a session is that it is deleted. */
function isDeletedIn(entries: readonly Entry[]): boolean {
  return entries.findLast(({ type }) => type === 'delete' || type === 'undelete')?.type === 'delete'
}

/** Addresses that nobody purged and that are not there, before others of their writer. */
function missingRanges(entries: readonly Entry[]): SequenceRanges {
  const purged = entries.filter(({ type }) => type === 'purge').reduce<SequenceRanges>((ranges, { data }) => joinRanges(ranges, data['ranges'] as SequenceRanges), {})
  const ends: Record<string, number> = {}
  for (const { w, s } of entries) ends[writerKey(w)] = Math.max(ends[writerKey(w)] ?? 0, s + 1)
  return withoutRanges(rangesBetween(ends, entries), purged)
}

function countOf(ranges: SequenceRanges): number {
  return Object.values(ranges).flat().reduce((sum, [from, to]) => sum + to - from, 0)
}
