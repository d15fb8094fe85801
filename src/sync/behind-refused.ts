import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import { entryId, writerKey } from '../domain/address.ts'
import { behindRanges } from '../domain/version-vector.ts'
import type { Refusal } from './ingest.ts'

export interface BehindRefusedOptions {
  /** Those that came too early. */
  readonly waiting: readonly Refusal[]
  /** What was refused of what came. */
  readonly refused: readonly Refusal[]
  /** How far each writer is here. */
  readonly vector: VersionVector
  readonly purged: SequenceRanges
}

/**
 * The entries that came too early only because entries before them were refused. These would be refused again, so
 * nothing else has to wait for them.
 *
 * @param entries - all valid ones that came
 */
export function behindRefused(
  entries: readonly Entry[],
  { waiting, refused, vector, purged }: BehindRefusedOptions,
): readonly Entry[] {
  const early = new Set(waiting.map(({ id }) => id))
  const come = new Set([...entries.map(({ w, s }) => entryId(w, s)), ...refused.map(({ id }) => id)])
  const ends = new Map<number, number>()
  /** How far everything of a writer is here or came. */
  const endOf = (w: number): number => {
    const known = ends.get(w)
    if (known !== undefined) return known
    let end = behindRanges(purged, w, vector[writerKey(w)] ?? 0)
    while (come.has(entryId(w, end))) end = behindRanges(purged, w, end + 1)
    ends.set(w, end)
    return end
  }
  return entries.filter(({ w, s }) => early.has(entryId(w, s)) && s < endOf(w))
}
