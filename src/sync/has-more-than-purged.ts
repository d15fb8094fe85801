import type { VersionVector } from '../contract/entry.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'

/**
 * Whether a session that was purged elsewhere has entries here that would be lost with it. If it was begun anew, those
 * that came from elsewhere and are of none of the purged writers are not lost: they belong to the new session, and came
 * before the purge was heard of.
 *
 * @param vector - what is here of the session
 * @param received - what of it came from elsewhere
 */
export function hasMoreThanPurged(
  vector: VersionVector,
  entry: Pick<IndexEntry, 'purged' | 'hash'>,
  received: VersionVector,
): boolean {
  const { purged = {} } = entry
  if (isGone(entry)) return !includesVector(purged, vector)
  const anew = Object.fromEntries(Object.entries(received).filter(([writer]) => purged[writer] === undefined))
  return !includesVector(joinVectors(purged, anew), vector)
}
