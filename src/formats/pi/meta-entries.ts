import type { Entry } from '../../contract/entry.ts'
import type { JsonObject } from '../../contract/json.ts'
import { writerKey } from '../../domain/address.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { hash53 } from '../../domain/hash53.ts'
import { sealEntry } from '../../domain/seal.ts'
import { toWellFormed } from '../../domain/utf8.ts'
import type { PiLog } from './read-log.ts'
import { timeOf } from './time.ts'

/** Most characters of a title or id, as `MetaPatch` has it. */
const listedChars = 1024

const clocksPerMs = 2 ** 18

/**
 * What a log says about its session, as `meta` entries: one for the header (id, alias, `custom.pi`), one for the last name given.
 *
 * Each is an entry of a writer of its own, drawn from what it says and where it says it. So the same file, on any device and however
 * much it has grown, gives the same two entries unless it says something new; what is new has a later clock; and both are older than
 * anything a user of this app does, so that a title chosen here stays. Their `mid` tells whether they are there already.
 */
export function metaEntries(source: string, { header, nodes }: PiLog): readonly Entry[] {
  const { id, fields } = header
  const about = { ...(id.length <= listedChars ? { id } : {}), aliases: [id], custom: { pi: fields } }
  const entries = [metaEntry(source, about, timeOf(fields['timestamp']) ?? 0, 0)]
  const named = nodes.findLast(({ type, data }) => type === 'session_info' && typeof data['name'] === 'string')
  if (named === undefined) return entries
  const title = toWellFormed((named.data['name'] as string).trim().slice(0, listedChars))
  // A name of nothing takes the name away. (In pi it doesn't, which is a mistake there.)
  return [...entries, metaEntry(source, { title: title === '' ? null : title }, named.at, named.index)]
}

function metaEntry(source: string, set: JsonObject, at: number, index: number): Entry {
  const w = hash53(`${source} meta ${index} ${at} ${canonicalJson(set)}`)
  const clock = { hp: 1 + Math.floor(index / clocksPerMs), hc: index % clocksPerMs }
  return sealEntry({ w, s: 0, branch: '', type: 'meta', data: { set, mid: `meta-${writerKey(w)}` }, at, clock })
}
