import type { Entry } from '../../../contract/entry.ts'
import { toWellFormed } from '../../../domain/to-well-formed.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { timeOf } from '../../../formats/time.ts'
import type { PiLog } from './read-pi-log.ts'

/** Most characters of a title or id, as `MetaPatch` has it. */
const listedChars = 1024

/**
 * What a log says about its session, as `meta` entries: one for the header (id, alias, `custom.pi`), one for the last
 * name given.
 *
 * The same file, however much it has grown, gives the same two entries unless it says something new.
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
