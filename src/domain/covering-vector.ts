import type { VersionVector } from '../contract/entry.ts'
import { parseEntryId, writerKey } from './address.ts'

/**
 * The smallest vector that covers entries. It also covers earlier entries of their writers.
 *
 * @param before - a vector that it must cover too
 */
export function coveringVector(entries: Iterable<{ readonly id: string }>, before: VersionVector = {}): VersionVector {
  const vector: Record<string, number> = { ...before }
  for (const { id } of entries) {
    const address = parseEntryId(id)
    if (address === undefined) continue
    const writer = writerKey(address.w)
    vector[writer] = Math.max(vector[writer] ?? 0, address.s + 1)
  }
  return vector
}
