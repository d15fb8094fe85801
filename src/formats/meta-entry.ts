import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { writerKey } from '../domain/address.ts'
import { canonicalJson } from '../domain/canonical-json.ts'
import { hash53 } from '../domain/hash53.ts'
import { sealEntry } from '../domain/seal.ts'

const clocksPerMs = 2 ** 18

/**
 * Makes a `meta` entry from a file's metadata. Its writer's id is a hash of content and index, so that the same file
 * gives the same entry on any device. Newer metadata has a later clock. All of them are older than any change of a user
 * of this app, so that values chosen here stay. Its `mid` shows whether it is already stored.
 *
 * @param at - milliseconds since 1970, only for display
 * @param index - determines which metadata of this source is later; below 2^58
 */
export function metaEntry(source: string, set: JsonObject, at: number, index: number): Entry {
  const w = hash53(`${source} meta ${index} ${at} ${canonicalJson(set)}`)
  const clock = { hp: 1 + Math.floor(index / clocksPerMs), hc: index % clocksPerMs }
  return sealEntry({ w, s: 0, branch: '', type: 'meta', data: { set, mid: `meta-${writerKey(w)}` }, at, clock })
}
