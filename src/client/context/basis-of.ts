import type { EntryView } from '../../contract/entry.ts'
import type { CompactionInput } from '../../contract/store/session-compactions.ts'
import { addToFingerprint, fingerprintOf } from '../../domain/context-fingerprint.ts'
import { coverInSteps } from '../../domain/covering-vector.ts'
import { overEach } from '../../domain/steps.ts'
import { createBreather, inBreaths } from '../../pacing/breather.ts'
import type { WholeContext } from './read-whole-context.ts'

/**
 * What a compaction states about the entries it was made from: it hides only these, not entries that arrive meanwhile,
 * and is refused (ParentMoved) if they have changed by now. There may be a million of them, so it lets the page breathe.
 *
 * @param context - as it was read
 * @param before - the entries of the context that the compaction replaces
 * @param seen - all entries that it has seen
 */
export async function basisOf(
  { hidden, branch }: Omit<WholeContext, 'entries'>,
  before: readonly EntryView[],
  seen = before,
): Promise<Required<Pick<CompactionInput, 'branch' | 'covers' | 'replaces' | 'fingerprint'>>> {
  const breathe = createBreather()
  let fingerprint = 0
  const addUp = overEach(before, (entry) => {
    fingerprint = addToFingerprint(fingerprint, entry)
  })
  await inBreaths(addUp, breathe)
  return {
    branch,
    covers: await inBreaths(coverInSteps(seen), breathe),
    replaces: hidden.compaction ?? null,
    fingerprint: fingerprintOf(fingerprint, hidden),
  }
}
