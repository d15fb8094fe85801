import { isProvenBy, type KeyRecord, readKeyRecord } from './key-record.ts'
import type { SyncKeys } from './sync-keys.ts'

/**
 * How this device's keys stand in a namespace:
 *
 * - `first` nobody has used a key here: publish a record, then continue.
 * - `current` continue with `keys`. `rivals` are ids of keys that other devices use, because two devices changed the
 *   key at the same time or started at the same time: they and this one do not see each other until they share a key
 *   again.
 * - `replaced` a device with the same key changed it. Send nothing more; ask for one of `keyIds`.
 * - `wrongKey` the namespace is used with other keys, and this one never was one of them. Send nothing; ask again.
 */
export type KeyStanding =
  | { readonly state: 'first' }
  | { readonly state: 'current'; readonly keys: SyncKeys; readonly rivals: readonly string[] }
  | { readonly state: 'replaced' | 'wrongKey'; readonly keyIds: readonly string[] }

/**
 * Nobody without a key of this device can make it give up its key, neither the server nor a device with an old key.
 *
 * @param found - the records in the index document, as they arrived
 * @param ring - all keys of this namespace that this device has
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
  // Only bad faith makes keys that replace each other in a circle: any of them will do.
  const current = sorted.find(({ id }) => !leftBehind.has(id)) ?? (missing.length === 0 ? sorted[0] : undefined)
  if (current === undefined) return { state: 'replaced', keyIds: missing }
  return { state: 'current', keys: current, rivals: newest.filter((id) => id !== current.id) }
}
