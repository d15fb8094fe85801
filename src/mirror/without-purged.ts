import type { SequenceRanges } from '../contract/entry.ts'
import { inRanges } from '../domain/version-vector.ts'
import { encodeFrame, type FoundFrame, frameHeader, textOf } from './frame.ts'
import { parseEntries, textOfPacked } from './mirrored-text.ts'

/**
 * A frame without the entries that were erased for good. Spaces after the text keep its length, so that it can replace
 * the old frame. `undefined` when it has no such entries.
 */
export function withoutPurged(
  { head, from, to, body }: FoundFrame,
  purged: SequenceRanges,
): Uint8Array<ArrayBuffer> | undefined {
  const found = head.kind === 'entries' ? parseEntries(textOf(body)) : undefined
  const kept = found?.entries.filter(({ w, s }) => !inRanges(purged, w, s))
  if (found === undefined || kept === undefined || kept.length === found.entries.length) return undefined
  const text = textOfPacked(found, kept)
  const left = to - from - encodeFrame({ ...head, text }).length
  // A frame that does not fit any more was not written by this code. All of it is blanked, because erased entries must
  // not stay.
  return encodeFrame({ ...head, text: left < 0 ? ' '.repeat(to - from - frameHeader) : text + ' '.repeat(left) })
}
