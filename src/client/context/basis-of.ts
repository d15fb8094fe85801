import type { EntryView } from '../../contract/entry.ts'
import type { CompactionInput } from '../../contract/store/session-compactions.ts'
import { contextFingerprint } from '../../domain/context-fingerprint.ts'
import { coveringVector } from '../../domain/covering-vector.ts'
import type { WholeContext } from './read-whole-context.ts'

/**
 * What a compaction states about the entries it was made from: it hides only these, not entries that arrive meanwhile,
 * and is refused (ParentMoved) if they have changed by now.
 *
 * @param context - as it was read
 * @param before - the entries of the context that the compaction replaces
 */
export function basisOf(
  { hidden, branch }: Omit<WholeContext, 'entries'>,
  before: readonly EntryView[],
): Required<Pick<CompactionInput, 'branch' | 'covers' | 'replaces' | 'fingerprint'>> {
  return {
    branch,
    covers: coveringVector(before),
    replaces: hidden.compaction ?? null,
    fingerprint: contextFingerprint(hidden, before),
  }
}
