import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { writerKey } from '../domain/address.ts'
import { canonicalJson } from '../domain/canonical-json.ts'
import { hash53 } from '../domain/hash53.ts'
import { sealEntry } from '../domain/seal.ts'

const clocksPerMs = 2 ** 18

/**
 * What a file says about its session, as a `meta` entry of a writer of its own, drawn from what it says and how late.
 * So the same file gives the same entry on any device; what is newer has a later clock; and all of them are older than
 * anything a user of this app does, so that what is chosen here stays. Its `mid` tells whether it is there already.
 *
 * @param at - milliseconds since 1970, shown only
 * @param index - what makes one saying of this source later than another; below 2^58
 */
export function metaEntry(source: string, set: JsonObject, at: number, index: number): Entry {
  const w = hash53(`${source} meta ${index} ${at} ${canonicalJson(set)}`)
  const clock = { hp: 1 + Math.floor(index / clocksPerMs), hc: index % clocksPerMs }
  return sealEntry({ w, s: 0, branch: '', type: 'meta', data: { set, mid: `meta-${writerKey(w)}` }, at, clock })
}
