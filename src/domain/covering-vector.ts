import type { VersionVector } from '../contract/entry.ts'
import { parseEntryId, writerKey } from './address.ts'

/** The smallest vector that covers entries; it covers what their writers wrote before, too. */
export function coveringVector(entries: readonly { readonly id: string }[]): VersionVector {
  const vector: Record<string, number> = {}
  for (const { id } of entries) {
    const address = parseEntryId(id)
    if (address === undefined) continue
    const writer = writerKey(address.w)
    vector[writer] = Math.max(vector[writer] ?? 0, address.s + 1)
  }
  return vector
}
