import type { Entry, VersionVector } from '../contract/entry.ts'
import type { ColdRow } from '../contract/rows.ts'

/** The latest decision whether a session is deleted. */
export type DeletionRow = NonNullable<ColdRow['deletion']>

/** The stored form of a `delete` or `undelete` entry. */
export function deletionRow({ type, data, order, at }: Entry): DeletionRow {
  const deleted = type === 'delete'
  const life = (data['life'] as number | undefined) ?? 0
  return {
    clock: order,
    deleted,
    at,
    vv: deleted ? (data['vv'] as VersionVector) : {},
    ...(life > 0 ? { life } : {}),
    ...(deleted && data['kept'] === true ? { kept: true } : {}),
  }
}

/**
 * Of two decisions, the one that counts. Decisions of an earlier life never count, whatever the clocks say. Restoring a
 * session that was purged elsewhere starts its next life, because the user knew of the purge. A purge, and keeping a
 * session because of one, concern the life before.
 */
export function laterDeletion(a: DeletionRow | undefined, b: DeletionRow): DeletionRow {
  if (a === undefined) return b
  const lives = (b.life ?? 0) - (a.life ?? 0)
  return lives > 0 || (lives === 0 && b.clock > a.clock) ? b : a
}

/** How often a session was restored after it had been purged elsewhere. */
export function lifeOf({ deletion }: Pick<ColdRow, 'deletion'>): number {
  return deletion?.life ?? 0
}
