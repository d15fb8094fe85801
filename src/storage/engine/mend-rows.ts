import { controlLane, type CoreBackend, type RowSalvage, type SessionRemains } from '../../contract/backend.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { HotRow, SessionRows, StoredEntry } from '../../contract/rows.ts'
import { emptyCold, emptyRows } from '../../domain/rows.ts'
import { readLane } from './session-reader.ts'
import { rebuildRows } from './rebuild-rows.ts'

export interface MendingOptions {
  readonly now: () => number
  /** A session's rows could not be read, and were made again from its entries. */
  readonly onMended: (rows: SessionRows) => void
}

/** How often it is begun anew because another tab wrote meanwhile. */
const attemptLimit = 20

/**
 * A backend that makes rows again which can't be read, as soon as somebody asks for their session or for the list: no damaged row takes a
 * session out of reach, or the others with it.
 */
export function mendRows<Backend extends CoreBackend>(backend: Backend, { now, onMended }: MendingOptions): Backend {
  const { salvage } = backend
  if (salvage === undefined) return backend
  const running = new Map<string, Promise<SessionRows | undefined>>()
  /** Why rows that were made again could not be put in their place. */
  const unplaced = new Map<string, unknown>()

  async function mend(key: string, source: RowSalvage, attempts = attemptLimit): Promise<SessionRows | undefined> {
    const remains = await source.findRemains(key)
    if (remains === undefined) return undefined
    const rows = await rebuild(backend, key, remains, now())
    try {
      const isReplaced = await source.replaceRows(rows)
      unplaced.delete(key)
      if (isReplaced) onMended(rows)
      // Another tab was faster: with mending it, or with writing to it.
      else if (attempts > 1) return await backend.loadSession(key).catch((error: unknown) => (isSessionError(error, 'ChecksumMismatch') ? mend(key, source, attempts - 1) : Promise.reject(error)))
    } catch (error) {
      // Where there is no room for them they can be read all the same.
      if (!isSessionError(error, 'QuotaExceeded')) throw error
      unplaced.set(key, error)
    }
    return rows
  }

  const mendOnce = (key: string): Promise<SessionRows | undefined> => {
    const mending = running.get(key) ?? mend(key, salvage).finally(() => running.delete(key))
    running.set(key, mending)
    return mending
  }

  return {
    ...backend,
    commit: async (batch, durability) => {
      const outcome = await backend.commit(batch, durability)
      if (outcome.stored) return outcome
      // No plan will ever stand on rows that can't be replaced: it need not be made again and again.
      for (const key of outcome.stale) if (unplaced.has(key)) throw unplaced.get(key)
      return outcome
    },
    loadSession: async (key) => {
      try {
        const rows = await backend.loadSession(key)
        unplaced.delete(key)
        return rows
      } catch (error) {
        if (!isSessionError(error, 'ChecksumMismatch')) throw error
        const rows = await mendOnce(key)
        if (rows === undefined) throw error
        return rows
      }
    },
    listSessions: async (onDamaged) => {
      const damaged: string[] = []
      const rows: HotRow[] = [...(await backend.listSessions((key) => damaged.push(key)))]
      for (const key of damaged) {
        const mended = await mendOnce(key).catch(() => undefined)
        if (mended === undefined) onDamaged?.(key)
        else rows.push(mended.hot)
      }
      return rows
    },
  }
}

/** Holds one session in memory. What of it can't be read is lost until another device, or the mirror, has it. */
async function rebuild(backend: CoreBackend, key: string, { session, hot, cold, lanes, operations }: SessionRemains, now: number): Promise<SessionRows> {
  const entries: StoredEntry[] = [...(await readLane(backend, session, controlLane, ''))]
  const branches: Record<string, number> = { '': 0 }
  for (const lane of lanes) {
    const rows = await readLane(backend, session, lane, '')
    for (const row of rows) entries.push(row)
    // No lane may be given away that has records, also when none of them can be read.
    branches[lane === 0 ? '' : (rows[0]?.branch ?? `unreadable lane ${lane}`)] = lane
  }
  // Local numbers are given by count.
  for (let lane = 1; lane < Math.max(0, ...lanes); lane++) if (!lanes.includes(lane)) branches[`empty lane ${lane}`] = lane
  const known = { ...emptyRows(key, session).hot, operations }
  // Above any that another tab can have seen: what that one planned on its rows must be planned anew.
  const version = hot === undefined ? Math.max(cold?.version ?? 0, now) + 1 : hot.version + 1
  const { hot: made, cold: fold } = rebuildRows({ ...(hot ?? known), version }, entries, cold ?? { ...emptyCold, lanes: branches })
  return { hot: made, cold: { ...fold, version } }
}
