import type { StorageBackend } from '../contract/backend.ts'
import { isSessionError } from '../contract/errors.ts'
import type { HotRow, SessionRows } from '../contract/rows.ts'
import { createSequenceSet } from '../domain/sequence-set.ts'
import { joinVectors, withoutRanges } from '../domain/version-vector.ts'
import { lanePages } from '../storage/engine/reading/lane-pages.ts'
import { lanesOf } from '../storage/engine/reading/read-lane.ts'
import { beginRebuild } from '../storage/engine/upkeep/rebuild-rows.ts'
import { unpaced } from '../storage/engine/work-pace.ts'

/**
 * Whether all entries that a session's rows name can be read. Browsers may also lose the middle of a database, and
 * Firefox refuses whole ranges of keys because of one bad block.
 */
export async function isWhole(backend: StorageBackend, rows: SessionRows): Promise<boolean> {
  try {
    const { hot, cold } = rows
    const found = createSequenceSet()
    for (const lane of lanesOf(rows))
      for await (const page of lanePages(backend, hot.session, lane, '', unpaced))
        for (const { w, s } of page) found.add(w, s)
    const missing = withoutRanges(found.missing(joinVectors(cold.vv, hot.ahead)), cold.purged)
    return Object.keys(withoutRanges(missing, cold.lost ?? {})).length === 0
  } catch (error) {
    if (!isSessionError(error, 'StorageUnavailable')) throw error
    return false
  }
}

/**
 * Gives a session a new local number under which all its entries count as lost. The old rows, which can't be read and
 * perhaps not overwritten either, stay until everything is restored.
 *
 * @returns false when the session changed meanwhile
 */
export async function restartSession({ salvage }: StorageBackend, { hot, cold }: SessionRows): Promise<boolean> {
  const version = hot.version + 1
  // The number is random, as for a new session. With the few sessions of an origin, a collision is next to impossible.
  const { hot: made, cold: fold } = beginRebuild({ ...hot, session: Math.ceil(Math.random() * 2 ** 52) }, cold).finish()
  const lost = withoutRanges(fold.lost ?? {}, cold.purged)
  const rows = {
    hot: { ...made, version, coldVersion: version },
    cold: { ...fold, version, purged: cold.purged, lost },
  }
  return (await salvage?.replaceRows(rows, { hot: hot.version })) ?? false
}

/**
 * Erases what an earlier salvage left, because its worker ended or a bad block prevented it. The rows stay while their
 * session lacks entries, and where it is unknown: they may be the last copy.
 */
export async function eraseFormerRows(backend: StorageBackend, sessions: readonly HotRow[]): Promise<void> {
  const known = new Set(sessions.map(({ session }) => session))
  for (const { session, key } of (await backend.salvage?.findOtherNumbers(known)) ?? []) {
    const rows = await backend.loadSession(key).catch(() => undefined)
    const isFormer = rows !== undefined && rows.hot.session !== session
    if (isFormer && Object.keys(rows.cold.lost ?? {}).length === 0) await eraseOldRows(backend, session)
  }
}

/** Erases the rows under the former local number of a session. */
export async function eraseOldRows(backend: StorageBackend, session: number): Promise<void> {
  // The key is left out, so that the session keeps its aliases and its new rows. If a bad block prevents the erasure,
  // the next comparison tries it again.
  await backend.commit({ sessions: [], erase: [{ key: '', session }] }, 'relaxed').catch(() => undefined)
}
