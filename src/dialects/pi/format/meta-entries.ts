import type { Entry } from '../../../contract/entry.ts'
import { toWellFormed } from '../../../domain/to-well-formed.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { timeOf } from '../../../formats/time.ts'
import type { PiLog } from './read-pi-log.ts'

/** The maximum number of characters of a title or id, as in `MetaPatch`. */
const listedChars = 1024

/**
 * Makes `meta` entries from a log: one for the header (id, alias, `custom.pi`), and one for the session's last name.
 *
 * A file that has grown gives the same two entries, unless header or name have changed.
 */
export function metaEntries(source: string, { header, nodes }: PiLog): readonly Entry[] {
  const { id, fields } = header
  const about = { ...(id.length <= listedChars ? { id } : {}), aliases: [id], custom: { pi: fields } }
  const entries = [metaEntry(source, about, timeOf(fields['timestamp']) ?? 0, 0)]
  const named = nodes.findLast(({ type, data }) => type === 'session_info' && typeof data['name'] === 'string')
  if (named === undefined) return entries
  const title = toWellFormed((named.data['name'] as string).trim().slice(0, listedChars))
  // An empty name removes the name. (In pi it doesn't, which is a mistake there.)
  return [...entries, metaEntry(source, { title: title === '' ? null : title }, named.at, named.index)]
}
