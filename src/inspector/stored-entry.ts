import type { Entry, EntryView, VersionVector } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { parseEntryId, writerKey } from '../domain/address.ts'

/** How many newer entries of one writer are read for one entry. */
const nearEnd = 500

/** The stored record of an entry, or why it was not read. */
export type FoundEntry = { readonly entry: Entry } | { readonly missing: 'older' | 'gone' }

/**
 * Reads the record of an entry, as it was written: by its host message id, or from the end of the log. A record that is
 * further back would need the log to be gone through.
 */
export async function readStoredEntry(
  store: Pick<SessionStore, 'findByMid' | 'getVector' | 'changes'>,
  key: string,
  { id, mid }: Pick<EntryView, 'id' | 'mid'>,
): Promise<FoundEntry> {
  const address = parseEntryId(id)
  if (address === undefined) return { missing: 'gone' }
  const isIt = ({ w, s }: Entry): boolean => w === address.w && s === address.s
  if (mid !== undefined) {
    const [entry] = await store.findByMid(key, [mid])
    if (entry !== undefined && isIt(entry)) return { entry }
  }
  const vector = await store.getVector(key)
  const writer = writerKey(address.w)
  const next = vector?.[writer]
  if (vector === undefined || next === undefined) return { missing: 'gone' }
  if (next - address.s > nearEnd) return { missing: 'older' }
  const since: VersionVector = { ...vector, [writer]: address.s }
  const page = await store.changes(key, since)
  const entry = page.entries.find(isIt)
  return entry === undefined ? { missing: 'gone' } : { entry }
}
