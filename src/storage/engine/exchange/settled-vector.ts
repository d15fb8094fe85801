import type { VersionVector } from '../../../contract/entry.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { knownVector } from '../../../domain/arrive.ts'
import { behindRanges } from '../../../domain/version-vector.ts'

/**
 * What is known, and with it what was purged behind that before it ever came: there is nothing left to know of it, and two devices that hold the
 * same must say the same.
 */
export function settledVector(rows: SessionRows): VersionVector {
  const vector = { ...knownVector(rows) }
  for (const writer of Object.keys(rows.cold.purged)) {
    const next = behindRanges(rows.cold.purged, Number.parseInt(writer, 36), vector[writer] ?? 0)
    if (next > 0) vector[writer] = next
  }
  return vector
}
