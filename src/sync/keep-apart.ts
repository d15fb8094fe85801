import type { Entry } from '../contract/entry.ts'
import type { TermOptions } from '../contract/term.ts'
import { entryId } from '../domain/address.ts'
import { compareClocks } from '../domain/clock.ts'
import { readWholeLog } from './read-whole-log.ts'
import type { SyncStore } from './sync-contract.ts'

/** Rows of one transaction: other tabs wait while it lasts. */
const chunkSize = 500

export interface KeepApartOptions {
  readonly store: Pick<SyncStore, 'changes' | 'merge' | 'delete'>
  readonly key: string
  /** The life that was purged. */
  readonly life: number
  readonly term: TermOptions
}

/**
 * Keeps what is here of a session that another device purged, where the key is needed by what was begun anew there: deleted, under a key of its own, which
 * is the same on every device that does so. It may be done again, as after a crash; what stands under the old key is left for the caller to erase.
 *
 * @returns that key
 */
export async function keepApart({ store, key, life, term }: KeepApartOptions): Promise<string> {
  const entries = [...(await readWholeLog(store, key, {}))].sort((a, b) => a.w - b.w || a.s - b.s)
  const apart = `${key}~${nameOf(entries)}`
  for (let from = 0; from < entries.length; from += chunkSize) {
    const { refused } = await store.merge(apart, entries.slice(from, from + chunkSize), { isKey: true, gapsAreLost: true, ...term })
    if (refused[0] !== undefined) throw new Error(`entry ${refused[0].id} could not be kept under another key (${refused[0].reason})`)
  }
  await store.delete(apart, { kept: true, life, ...term })
  return apart
}

/** The address of the oldest entry: whoever has the session has that one. */
function nameOf(entries: readonly Entry[]): string {
  const [first] = [...entries].sort((a, b) => compareClocks(a.clock, b.clock) || a.w - b.w)
  return first === undefined ? '' : entryId(first.w, first.s)
}
