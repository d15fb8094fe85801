import type { HotRow } from '../contract/rows.ts'
import type { SessionWrite, WriteBatch } from '../contract/write-batch.ts'

/** The version of the session that a write was planned on; 0 when it creates the session. */
export const plannedVersion = ({ since, hot }: Pick<SessionWrite, 'since' | 'hot'>): number => since ?? hot.version - 1

/** Whether a write was planned on what is stored: this version of a session with the same number (law B2). */
export function isPlannedOn(stored: HotRow | undefined, write: SessionWrite): boolean {
  if (stored === undefined) return plannedVersion(write) === 0
  return stored.version === plannedVersion(write) && stored.session === write.hot.session
}

/** The stored state, as far as {@link staleSessions} needs it. */
export interface StoredState {
  hot(key: string): HotRow | undefined
  aliasOwner(alias: string): string | undefined
  hasNumber(session: number): boolean
}

/** The keys of the sessions that changed since the batch was planned. For backends that can look before they write. */
export function staleSessions(batch: WriteBatch, stored: StoredState): string[] {
  const erased = new Set(batch.erase.map(({ key }) => key))
  const released = new Set(
    batch.sessions.flatMap(({ hot, aliases }) => aliases.drop.map((alias) => JSON.stringify([hot.key, alias]))),
  )
  const claimed = new Map<string, string>()
  const isTaken = (alias: string, key: string): boolean => {
    const owner = stored.aliasOwner(alias)
    if (owner !== undefined && owner !== key && !erased.has(owner) && !released.has(JSON.stringify([owner, alias])))
      return true
    // The first session of a batch that claims an alias gets it.
    const claimant = claimed.get(alias) ?? key
    claimed.set(alias, claimant)
    return claimant !== key
  }
  const isStale = (write: SessionWrite): boolean => {
    const { key, session } = write.hot
    const hot = stored.hot(key)
    if (!isPlannedOn(hot, write)) return true
    if (hot === undefined && stored.hasNumber(session)) return true
    return write.aliases.add.some((alias) => isTaken(alias, key))
  }
  const kept = batch.erase.filter(({ key, version }) => version !== undefined && stored.hot(key)?.version !== version)
  return [...batch.sessions.filter(isStale).map(({ hot }) => hot.key), ...kept.map(({ key }) => key)]
}
