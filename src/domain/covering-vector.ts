import type { VersionVector } from '../contract/entry.ts'
import { parseEntryId, writerKey } from './address.ts'
import type { Steps } from './steps.ts'
import { atOnce, overEach } from './steps.ts'

/**
 * The smallest vector that covers entries. It also covers earlier entries of their writers.
 *
 * @param before - a vector that it must cover too
 */
export function coveringVector(entries: Iterable<{ readonly id: string }>, before: VersionVector = {}): VersionVector {
  return atOnce(coverInSteps(entries, before))
}

/** The same in steps, for entries that would keep a page busy. */
export function* coverInSteps(
  entries: Iterable<{ readonly id: string }>,
  before: VersionVector = {},
): Steps<VersionVector> {
  const vector: Record<string, number> = { ...before }
  yield* overEach(entries, ({ id }) => {
    const address = parseEntryId(id)
    if (address === undefined) return
    const writer = writerKey(address.w)
    vector[writer] = Math.max(vector[writer] ?? 0, address.s + 1)
  })
  return vector
}
