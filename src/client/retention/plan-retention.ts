import type { SessionUsage } from '../../contract/store/store-upkeep.ts'
import type { RetentionPolicy, RetentionReason } from './retention-policy.ts'

/** Sessions with this tag stay. */
export const pinnedTag = 'pinned'

export interface RetentionPlan {
  /** In the order of processing. */
  readonly chosen: readonly { readonly session: SessionUsage; readonly reason: RetentionReason }[]
  /** Keys of sessions beyond a limit that stay because they are pinned. */
  readonly pinned: readonly string[]
}

/**
 * Finds the sessions beyond the limits of a policy: deleted ones whose time is over, then archived ones, then the
 * longest unused ones.
 */
export function planRetention(sessions: readonly SessionUsage[], policy: RetentionPolicy, now: number): RetentionPlan {
  const {
    maxSessions = Number.POSITIVE_INFINITY,
    maxAgeMs = Number.POSITIVE_INFINITY,
    maxBytes = Number.POSITIVE_INFINITY,
    action,
    purgeDeletedAfterMs = Number.POSITIVE_INFINITY,
  } = policy
  const chosen: { session: SessionUsage; reason: RetentionReason }[] = []
  const pinned = new Set<string>()
  const gone = sessions.filter(({ deletedAt }) => deletedAt !== undefined && deletedAt + purgeDeletedAfterMs <= now)
  for (const session of gone.toSorted((a, b) => a.deletedAt! - b.deletedAt!))
    chosen.push({ session, reason: 'deleted' })

  const counted = sessions.filter(
    ({ deletedAt, archived }) => deletedAt === undefined && !(archived && action === 'archive'),
  )
  let left = counted.length
  let bytes = counted.reduce((sum, session) => sum + session.bytes, 0)
  const inOrder = counted.toSorted(
    (a, b) => Number(b.archived) - Number(a.archived) || a.updatedAt - b.updatedAt || (a.key < b.key ? -1 : 1),
  )
  const taken = new Set<SessionUsage>()
  const choose = (reason: RetentionReason, isBeyond: (session: SessionUsage) => boolean): void => {
    for (const session of inOrder) {
      if (taken.has(session) || !isBeyond(session)) continue
      if (session.tags.includes(pinnedTag)) {
        pinned.add(session.key)
        continue
      }
      taken.add(session)
      chosen.push({ session, reason })
      left -= 1
      bytes -= session.bytes
    }
  }
  choose('age', ({ updatedAt }) => updatedAt + maxAgeMs <= now)
  choose('sessions', () => left > maxSessions)
  choose('bytes', () => bytes > maxBytes)
  return { chosen, pinned: [...pinned] }
}
