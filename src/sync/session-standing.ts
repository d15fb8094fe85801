import type { VersionVector } from '../contract/entry.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import type { LocalSession } from './local-sessions.ts'

/**
 * What is to become of a session that is here, by what the list says of it.
 *
 * - `upload`: nobody else has anything of it. `exchange`: others have it, and not the same. `same`: they have.
 * - `erase`: it has something of what was purged elsewhere. Erased is what was known there; what has more is kept.
 * - `kept`: that was done. It stays here alone until somebody brings it back.
 */
export type SessionStanding = 'upload' | 'exchange' | 'same' | 'erase' | 'kept'

/** What of a session here decides where it stands. */
export type StandingSession = Pick<LocalSession, 'hash' | 'vector'> & { readonly listing: Pick<LocalSession['listing'], 'kept' | 'life'> }

export function standingOf(local: StandingSession, entry: IndexEntry | undefined): SessionStanding {
  const isKept = local.listing.kept === true
  if (entry === undefined) return isKept ? 'kept' : 'upload'
  if (isPurged(local, entry)) return isKept && isGone(entry) ? 'kept' : 'erase'
  if (isGone(entry)) return 'upload'
  return entry.hash === local.hash && lifeHere(local) <= lifeThere(entry) ? 'same' : 'exchange'
}

/** Whether it has something of what was purged elsewhere: of this life or an earlier one. A later one is not touched. */
function isPurged(local: StandingSession, entry: IndexEntry): boolean {
  return entry.purged !== undefined && lifeHere(local) <= lifeThere(entry) && !isBegunAnew(local.vector, entry.purged)
}

/** Whether a session has nothing of what was purged: it was begun anew under the same key. */
export function isBegunAnew(vector: VersionVector, purged: VersionVector): boolean {
  return Object.keys(vector).every((writer) => (purged[writer] ?? 0) === 0)
}

/** The life in which all have it: what belongs to an earlier one here goes on in that of the others. */
export function commonLife(local: StandingSession | undefined, entry: IndexEntry | undefined): number {
  return Math.max(local === undefined ? 0 : lifeHere(local), entry === undefined ? 0 : lifeThere(entry))
}

/** What was purged of that life. */
export function purgedOf(life: number, entry: IndexEntry | undefined): VersionVector | undefined {
  return entry !== undefined && lifeThere(entry) === life ? entry.purged : undefined
}

const lifeHere = ({ listing }: StandingSession): number => listing.life ?? 0
export const lifeThere = ({ life = 0 }: Pick<IndexEntry, 'life'>): number => life
