import type { EntryView } from '../../contract/entry.ts'
import type { CompactionInput } from '../../contract/store/session-compactions.ts'
import { contextFingerprint } from '../../domain/context-fingerprint.ts'
import { coveringVector } from '../../domain/covering-vector.ts'
import type { WholeContext } from './read-whole-context.ts'

/**
 * What a compaction says of what it was made of: it hides that and nothing that comes meanwhile, and is refused
 * (ParentMoved) when that reads otherwise by now.
 *
 * @param context - as it was read
 * @param before - its entries that the compaction stands for
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
