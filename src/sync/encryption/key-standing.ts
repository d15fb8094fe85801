import { isProvenBy, type KeyRecord, readKeyRecord } from './key-record.ts'
import type { SyncKeys } from './sync-keys.ts'

/**
 * How this device's keys stand in a namespace:
 *
 * - `first` nobody has used one here: publish a record of it, then go on.
 * - `current` go on with `keys`. `rivals` are ids of keys that others go on with, because two devices changed the key without knowing of each other or
 *   began at the same time: those devices and this one don't see each other until they share a key again.
 * - `replaced` somebody who had the same key changed it. Nothing more is to be sent; ask for one of `keyIds`.
 * - `wrongKey` the namespace is used with other keys, and this one was never one of them. Nothing is to be sent; ask again.
 */
export type KeyStanding =
  | { readonly state: 'first' }
  | { readonly state: 'current'; readonly keys: SyncKeys; readonly rivals: readonly string[] }
  | { readonly state: 'replaced' | 'wrongKey'; readonly keyIds: readonly string[] }

/**
 * What somebody writes without having a key of this device never takes it off its key: the server can not, and who has an old key can not either.
 *
 * @param found - the records in the index document, as they came
 * @param ring - all keys this device has, of this namespace
 */
export async function keyStanding(found: readonly unknown[], ring: readonly SyncKeys[]): Promise<KeyStanding> {
  const records: KeyRecord[] = []
  const believed: KeyRecord[] = []
  const mine = new Set<SyncKeys>()
  for (const one of found) {
    const record = readKeyRecord(one)
    if (record === undefined) continue
    const [own, before] = [ring.find(({ id }) => id === record.id), ring.find(({ id }) => id === record.before)]
    const proofs = await Promise.all([own, before].flatMap((keys) => keys && isProvenBy(record, keys)))
    if (proofs.includes(false)) continue
    records.push(record)
    if (own !== undefined) mine.add(own)
    if (before !== undefined) believed.push(record)
  }
  if (records.length === 0) return { state: 'first' }
  const replaced = new Set(records.map(({ before }) => before))
  const newest = [...new Set(records.map(({ id }) => id))].filter((id) => !replaced.has(id)).sort()
  if (mine.size === 0 && believed.length === 0) return { state: 'wrongKey', keyIds: newest }
  const leftBehind = new Set(believed.map(({ before }) => before))
  const held = new Set(ring.map(({ id }) => id))
  const missing = [...new Set(believed.map(({ id }) => id))].filter((id) => !held.has(id)).sort()
  const sorted = [...mine].sort((a, b) => (a.id < b.id ? -1 : 1))
  // Keys that replace each other in a circle are made by nobody but in bad faith: any of them will do.
  const current = sorted.find(({ id }) => !leftBehind.has(id)) ?? (missing.length === 0 ? sorted[0] : undefined)
  if (current === undefined) return { state: 'replaced', keyIds: missing }
  return { state: 'current', keys: current, rivals: newest.filter((id) => id !== current.id) }
}
