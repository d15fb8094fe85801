import type { StorageBackend } from '../contract/backend.ts'
import { isSessionError } from '../contract/errors.ts'
import type { SessionRows } from '../contract/rows.ts'
import { createSequenceSet } from '../domain/sequence-set.ts'
import { joinVectors, withoutRanges } from '../domain/version-vector.ts'
import { lanePages } from '../storage/engine/reading/lane-pages.ts'
import { beginRebuild } from '../storage/engine/upkeep/rebuild-rows.ts'
import { lanesOf } from '../storage/engine/reading/session-reader.ts'
import { unpaced } from '../storage/engine/work-pace.ts'

/**
 * Whether everything can be read that a session's rows say is stored: browsers lose the middle of a database too, and refuse whole ranges of
 * keys because of one bad block (Firefox).
 */
export async function isWhole(backend: StorageBackend, rows: SessionRows): Promise<boolean> {
  try {
    const { hot, cold } = rows
    const found = createSequenceSet()
    for (const lane of lanesOf(rows)) for await (const page of lanePages(backend, hot.session, lane, '', unpaced)) for (const { w, s } of page) found.add(w, s)
    const missing = withoutRanges(found.missing(joinVectors(cold.vv, hot.ahead)), cold.purged)
    return Object.keys(withoutRanges(missing, cold.lost ?? {})).length === 0
  } catch (error) {
    if (!isSessionError(error, 'StorageUnavailable')) throw error
    return false
  }
}

/**
 * Takes everything of a session for lost, under a local number that nothing was stored with yet: what can't be read may not be written over
 * either, and is left as it is until all has come back.
 *
 * @returns whether it was done; otherwise the session changed meanwhile
 */
export async function beginAfresh({ salvage }: StorageBackend, { hot, cold }: SessionRows): Promise<boolean> {
  const version = hot.version + 1
  // A number is drawn, as for a new session; one drawn twice among the few of an origin is next to impossible.
  const { hot: made, cold: fold } = beginRebuild({ ...hot, session: Math.ceil(Math.random() * 2 ** 52) }, cold).finish()
  const lost = withoutRanges(fold.lost ?? {}, cold.purged)
  const rows = { hot: { ...made, version, coldVersion: version }, cold: { ...fold, version, purged: cold.purged, lost } }
  return (await salvage?.replaceRows(rows, { hot: hot.version })) ?? false
}

/** Erases what is left of a session under a local number that it no longer has. */
export async function eraseOldRows(backend: StorageBackend, session: number): Promise<void> {
  // By no key: its aliases, and what it has under its new number, stay. Where a bad block forbids it, it stays as it is and takes room.
  await backend.commit({ sessions: [], erase: [{ key: '', session }] }, 'relaxed').catch(() => undefined)
}
