import type { VersionVector } from '../contract/entry.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import type { LocalSession } from './local-sessions.ts'
import { lifeHere, lifeThere } from './session-standing.ts'

/**
 * Whether a session that was purged elsewhere has entries here that would be lost with it. If it was begun anew in the
 * same life, those that came from the server and are of none of the purged writers are not lost: they are in the
 * document of the new session, and came before the purge was heard of.
 *
 * @param received - what of it came from a server
 */
export function hasMoreThanPurged(
  local: Pick<LocalSession, 'vector'> & Parameters<typeof lifeHere>[0],
  entry: PurgedEntry,
  received: VersionVector,
): boolean {
  return !includesVector(heldElsewhere(local, entry, received), local.vector)
}

/** What of such a session is not lost when it is erased here. */
export function heldElsewhere(
  local: Parameters<typeof lifeHere>[0],
  entry: PurgedEntry,
  received: VersionVector,
): VersionVector {
  const { purged = {} } = entry
  if (isGone(entry) || lifeHere(local) < lifeThere(entry)) return purged
  const anew = Object.fromEntries(Object.entries(received).filter(([writer]) => purged[writer] === undefined))
  return joinVectors(purged, anew)
}

type PurgedEntry = Pick<IndexEntry, 'purged' | 'hash' | 'life'>
