import type { StorageBackend } from '../contract/backend.ts'
import type { SequenceRanges } from '../contract/entry.ts'
import { isSessionError } from '../contract/errors.ts'
import type { SessionRows } from '../contract/rows.ts'
import { knownVector } from '../domain/arrive.ts'
import { withoutRanges } from '../domain/version-vector.ts'
import { missingEntries, rebuildRows } from '../storage/engine/rebuild-rows.ts'
import { lanesOf, readLane } from '../storage/engine/session-reader.ts'
import { rangesBelow } from './mirror-index.ts'

/** What a session's rows say is stored. */
export function rangesStored({ hot, cold }: SessionRows): SequenceRanges {
  return withoutRanges(withoutRanges(rangesBelow(knownVector({ hot, cold })), cold.lost ?? {}), cold.purged)
}

/**
 * What a session's rows say is stored and can't be read: browsers lose the middle of a database too, and refuse whole ranges of keys because
 * of one bad block (Firefox). Then it is taken for all of the session. Holds one session in memory.
 */
export async function findUnreadable(backend: StorageBackend, rows: SessionRows): Promise<SequenceRanges> {
  try {
    const entries = (await Promise.all(lanesOf(rows).map((lane) => readLane(backend, rows.hot.session, lane, '')))).flat()
    return withoutRanges(missingEntries(rows, entries), rows.cold.lost ?? {})
  } catch (error) {
    if (!isSessionError(error, 'StorageUnavailable')) throw error
    return rangesStored(rows)
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
  const { hot: made, cold: fold } = rebuildRows({ ...hot, session: drawNumber() }, [], cold)
  const lost = withoutRanges(fold.lost ?? {}, cold.purged)
  const rows = { hot: { ...made, version, coldVersion: version }, cold: { ...fold, version, purged: cold.purged, lost } }
  return (await salvage?.replaceRows(rows, { hot: hot.version })) ?? false
}

/** Erases what is left of a session under a local number that it no longer has. */
export async function eraseOldRows(backend: StorageBackend, session: number): Promise<void> {
  // By no key: its aliases, and what it has under its new number, stay. Where a bad block forbids it, it stays as it is and takes room.
  await backend.commit({ sessions: [], erase: [{ key: '', session }] }, 'relaxed').catch(() => undefined)
}

/** 53 random bits, never 0, as for a new session. */
function drawNumber(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as Uint32Array & [number, number]
  return (high & 0x1fffff) * 2 ** 32 + low || 1
}
