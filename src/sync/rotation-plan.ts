import type { VersionVector } from '../contract/entry.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { goneOf, isNewPurge } from './announce-purges.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import { commonLife, lifeThere, standingOf } from './session-standing.ts'
import type { SessionsHere } from './sessions-here.ts'

/** How a session is moved to another key. */
export interface RotationPlan {
  /** What the list has to say of it under the new key. */
  readonly entry: IndexEntry
  /** The life in which it is put under the new key. */
  readonly life: number
  /** The lives whose documents have something of it under the old key. None: nothing of it may be moved. */
  readonly lives: readonly number[]
  /** What is here of it. */
  readonly having: VersionVector
}

/**
 * Makes the plan by what the list says, what was purged here, and what is here. If another device purged the session and
 * began it anew, it is erased here first: otherwise it would be put under the new key.
 *
 * @param old - what the list says under the old key
 * @param moved - what it says under the new key, as after a change that was interrupted
 * @throws when it cannot be erased or read now
 */
export async function planRotation(
  key: string,
  old: IndexEntry,
  moved: IndexEntry | undefined,
  here: SessionsHere,
): Promise<RotationPlan> {
  const purge = await here.purge(key)
  const joined = joinEntries(old, moved)
  const entry =
    purge !== undefined && isNewPurge(purge, joined)
      ? { ...goneOf(purge, joined), hp: joined.hp, hc: joined.hc }
      : joined
  let local = await here.local(key)
  if (local !== undefined && !isGone(entry) && standingOf(local, entry) === 'erase') {
    await here.erase(key, entry)
    local = await here.local(key)
    if (local !== undefined && standingOf(local, entry) === 'erase')
      throw new Error('another device purged it, and it could not be erased here yet')
  }
  const life = commonLife(local, entry)
  // One that was purged may have been brought back here.
  const isOver = isGone(entry) && life === lifeThere(entry)
  const lives = isOver ? [] : [...new Set([lifeThere(entry), life])]
  return { entry, life, lives, having: local?.vector ?? {} }
}

/** What the list says under both keys: the later life counts, and of one life everything that was purged. */
function joinEntries(old: IndexEntry, moved: IndexEntry | undefined): IndexEntry {
  if (moved === undefined || lifeThere(old) > lifeThere(moved)) return old
  if (lifeThere(old) < lifeThere(moved)) return moved
  const purged = joinVectors(old.purged ?? {}, moved.purged ?? {})
  if (Object.keys(purged).length === 0) return old
  // A value that does not know of a purge describes what is gone.
  const hash = [old, moved].find((one) => one.hash !== '' && includesVector(one.purged ?? {}, purged))?.hash ?? ''
  return { ...old, purged, hash }
}
