import type { Entry } from '../../contract/entry.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { hash53 } from '../../domain/hash53.ts'
import { sealEntry } from '../../domain/seal.ts'

/** The host message id of these entries, the newest of which counts. */
export const importedIdsMid = 'imported-ids'

const clocksPerMs = 2 ** 18

/**
 * Makes an entry that records which nodes of its source a session has had. An entry that was removed here and then
 * reclaimed by `compact` does not exist any more, so that another import could not distinguish it from a new one. So
 * each import that adds something stores a hash of every id in a `meta` entry that sets nothing, with eleven bytes for
 * each id.
 *
 * @param before - the hashes that earlier imports stored
 */
export function importedIdsEntry(source: string, ids: readonly string[], before: ReadonlySet<string>): Entry {
  const list = [...new Set([...before, ...ids.map(hashOfId)])].sort()
  const data = { set: {}, mid: importedIdsMid, imported: list.join(' ') }
  const clock = { hp: 1 + Math.floor(list.length / clocksPerMs), hc: list.length % clocksPerMs }
  return sealEntry({
    w: hash53(`${source} ids ${canonicalJson(data)}`),
    s: 0,
    branch: '',
    type: 'meta',
    data,
    at: 0,
    clock,
  })
}

/** The hashes that earlier imports stored. */
export function readImportedIds(entry: Entry | undefined): ReadonlySet<string> {
  const imported = entry?.data['imported']
  return new Set(typeof imported === 'string' && imported !== '' ? imported.split(' ') : [])
}

/** The hash of an id in that list. */
export function hashOfId(id: string): string {
  return hash53(id).toString(36)
}
