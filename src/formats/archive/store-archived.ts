import type { Entry } from '../../contract/entry.ts'
import type { MergeResult } from '../../contract/store/log-exchange.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { entryId } from '../../domain/address.ts'
import { abortError } from '../byte-source.ts'
import { mergeEntries } from '../merge-entries.ts'
import { takeBack } from '../take-back.ts'
import type { CheckedSession } from './session-file.ts'

export interface StoreArchivedOptions {
  readonly signal: AbortSignal | undefined
  /** @param line - of the session's file; absent: the file as a whole */
  readonly skip: (reason: string, line?: number) => void
  /** Called when the session was deleted here after it was archived, and stays so. Its entries are stored. */
  readonly leaveDeleted: () => void
  readonly onMerged: (result: Pick<MergeResult, 'added' | 'known'>) => void
}

type Store = Pick<SessionStore, 'merge' | 'getMeta' | 'resolveSessionKey' | 'purge' | 'usage' | 'delete'>

/** The approximate size of an entry in bytes: only large entries make chunks shorter. */
const textBytes = ({ data }: Entry): number => {
  const content = (data['message'] as { readonly content?: unknown } | undefined)?.content
  return typeof content === 'string' ? content.length : 200
}

/**
 * Merges a session of an archive into the session with its key. Entries that `repair` removed before it was archived
 * count as lost here too, so that they are restored from devices that still have them.
 *
 * @param batches - its entries, in the order of the file
 * @returns whether it was merged: a session whose key is another session's alias here is left out
 * @throws Aborted; a new session is removed again
 */
export async function storeArchived(
  store: Store,
  { key, missing, isDeleted }: CheckedSession,
  batches: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  { signal, skip, leaveDeleted, onMerged }: StoreArchivedOptions,
): Promise<boolean> {
  const owner = await store.resolveSessionKey(key)
  if (owner !== key) {
    skip(`its key ${JSON.stringify(key)} is an alias of session ${JSON.stringify(owner)} here`)
    return false
  }
  const before = await store.getMeta(key)
  if (signal?.aborted) throw abortError()
  if (missing > 0) skip(`it lacks ${missing} entries, which were lost before it was archived; the others were restored`)
  let there = 0
  // The header is line 1.
  let line = 2
  try {
    for await (const entries of batches) {
      const from = line
      line += entries.length
      const onChunk = (_: readonly Entry[], result: MergeResult): void => {
        there += result.added + result.known
        for (const { id, reason } of result.refused)
          skip(
            reason,
            from +
              Math.max(
                0,
                entries.findIndex(({ w, s }) => entryId(w, s) === id),
              ),
          )
        onMerged(result)
      }
      await mergeEntries(store, key, entries, { signal, gapsAreLost: true, bytesOf: textBytes, onChunk })
    }
  } catch (error) {
    if (before === undefined) await takeBack(store, key, before, there)
    throw error
  }
  if (before !== undefined && !isDeleted && (await store.getMeta(key))?.deletedAt !== undefined) leaveDeleted()
  return true
}
