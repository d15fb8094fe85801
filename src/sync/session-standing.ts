import type { VersionVector } from '../contract/entry.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import type { LocalSession } from './local-sessions.ts'

/**
 * What has to be done with a local session, according to the list.
 *
 * - `upload`: nobody else has anything of it. `exchange`: others have it in another state. `same`: others have the
 *   same.
 * - `erase`: it has something that was purged elsewhere. What was known there is erased; a session that has more is
 *   kept.
 * - `kept`: that was done. The session stays on this device only, until it is restored.
 */
export type SessionStanding = 'upload' | 'exchange' | 'same' | 'erase' | 'kept'

/** The part of a local session that its standing depends on. */
export type StandingSession = Pick<LocalSession, 'hash' | 'vector'> & {
  readonly listing: Pick<LocalSession['listing'], 'kept' | 'life'>
}

export function standingOf(local: StandingSession, entry: IndexEntry | undefined): SessionStanding {
  const isKept = local.listing.kept === true
  if (entry === undefined) return isKept ? 'kept' : 'upload'
  if (isPurged(local, entry)) return isKept && isGone(entry) ? 'kept' : 'erase'
  if (isGone(entry)) return 'upload'
  return entry.hash === local.hash && lifeHere(local) <= lifeThere(entry) ? 'same' : 'exchange'
}

/**
 * Whether it has something that was purged elsewhere, in its own life or an earlier one. Later lives are not affected.
 */
function isPurged(local: StandingSession, entry: IndexEntry): boolean {
  return entry.purged !== undefined && lifeHere(local) <= lifeThere(entry) && !isBegunAnew(local.vector, entry.purged)
}

/** Whether a session has nothing of what was purged: it was restarted under the same key. */
export function isBegunAnew(vector: VersionVector, purged: VersionVector): boolean {
  return Object.keys(vector).every((writer) => (purged[writer] ?? 0) === 0)
}

/** The life that all devices use: a session that is in an earlier life here continues in that of the others. */
export function commonLife(local: StandingSession | undefined, entry: IndexEntry | undefined): number {
  return Math.max(local === undefined ? 0 : lifeHere(local), entry === undefined ? 0 : lifeThere(entry))
}

/** What was purged in this life. */
export function purgedOf(life: number, entry: IndexEntry | undefined): VersionVector | undefined {
  return entry !== undefined && lifeThere(entry) === life ? entry.purged : undefined
}

export const lifeHere = ({ listing }: Pick<StandingSession, 'listing'>): number => listing.life ?? 0
export const lifeThere = ({ life = 0 }: Pick<IndexEntry, 'life'>): number => life

/** Nobody brings a session back more often. Forged lives must not keep anyone busy for ever. */
const mostLives = 100

/** The first life of a session that may have a document. */
export const earliestLife = (life: number): number => Math.max(0, life - mostLives)
