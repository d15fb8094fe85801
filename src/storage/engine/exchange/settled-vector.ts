import type { VersionVector } from '../../../contract/entry.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { behindRanges } from '../../../domain/version-vector.ts'
import { knownVector, type Work } from '../../../domain/work.ts'

/**
 * The known vector, extended by purged entries that never arrived here. There is nothing left to know of those, and two
 * devices with the same entries must have the same vector.
 */
export function settledVector(rows: SessionRows | Work): VersionVector {
  const vector = { ...knownVector(rows) }
  for (const writer of Object.keys(rows.cold.purged)) {
    const next = behindRanges(rows.cold.purged, Number.parseInt(writer, 36), vector[writer] ?? 0)
    if (next > 0) vector[writer] = next
  }
  return vector
}
