import type { SequenceRanges } from '../contract/entry.ts'
import { inRanges } from '../domain/version-vector.ts'
import { wholeText } from './add-frame.ts'
import { type FoundFrame, textOf, withText } from './frame.ts'
import { parseEntries, textOfPacked } from './mirrored-text.ts'

/**
 * A frame without the entries that were erased for good. Spaces after the text keep its length, so that it can replace
 * the old frame. `undefined` when it has no such entries.
 */
export function withoutPurged(frame: FoundFrame, purged: SequenceRanges): Uint8Array<ArrayBuffer> | undefined {
  const found = frame.head.kind === 'entries' ? parseEntries(textOf(frame.body)) : undefined
  const kept = found?.entries.filter(({ w, s }) => !inRanges(purged, w, s))
  if (found === undefined || kept === undefined || kept.length === found.entries.length) return undefined
  return withText(frame, wholeText(textOfPacked(found, kept)))
}
