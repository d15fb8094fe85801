import type { SequenceRanges } from '../contract/entry.ts'
import { inRanges } from '../domain/version-vector.ts'
import { encodeFrame, type FoundFrame, frameHeader, textOf } from './frame.ts'
import { parseEntries, textOfPacked } from './mirrored-text.ts'

/**
 * A frame of entries without those that were erased for good, as long as it was: what is cut out is filled up behind the text, so that it can be
 * written in its place. `undefined` when it has none of them.
 */
export function withoutPurged({ head, from, to, body }: FoundFrame, purged: SequenceRanges): Uint8Array<ArrayBuffer> | undefined {
  const found = head.kind === 'entries' ? parseEntries(textOf(body)) : undefined
  const kept = found?.entries.filter(({ w, s }) => !inRanges(purged, w, s))
  if (found === undefined || kept === undefined || kept.length === found.entries.length) return undefined
  const text = textOfPacked(found, kept)
  const left = to - from - encodeFrame({ ...head, text }).length
  // Only other code can have spelt it shorter than we do. Then all of it goes: what was erased must not stay.
  return encodeFrame({ ...head, text: left < 0 ? ' '.repeat(to - from - frameHeader) : text + ' '.repeat(left) })
}
