import type { VersionVector } from '../contract/entry.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { IndexEntry } from './index-entry.ts'

/**
 * Whether a session that was purged elsewhere has entries here that would be lost with it. Those that came from
 * elsewhere and are of none of the purged writers are not lost: they belong to the session that was begun anew, and
 * came before the purge was heard of.
 *
 * @param vector - what is here of the session
 * @param received - what of it came from elsewhere
 */
export function hasMoreThanPurged(
  vector: VersionVector,
  { purged = {} }: Pick<IndexEntry, 'purged'>,
  received: VersionVector,
): boolean {
  const anew = Object.fromEntries(Object.entries(received).filter(([writer]) => purged[writer] === undefined))
  return !includesVector(joinVectors(purged, anew), vector)
}
