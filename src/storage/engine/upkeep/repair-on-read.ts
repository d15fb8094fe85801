import type { CoreBackend } from '../../../contract/backend.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { RepairedRows } from '../../../contract/row-salvage.ts'
import type { HotRow, SessionRows } from '../../../contract/rows.ts'

/** Rebuilds the rows of a session. @returns `undefined` where that is impossible */
export type RepairRows = (key: string) => Promise<RepairedRows | undefined>

/**
 * A backend that rebuilds unreadable rows as soon as their session or the list is requested. So a damaged row never
 * makes a session unreachable, or the other sessions with it.
 *
 * @param onRepaired - called for rows that were rebuilt
 */
export function repairOnRead<Backend extends CoreBackend>(
  backend: Backend,
  repair: RepairRows,
  onRepaired: (rows: SessionRows) => void = () => undefined,
): Backend {
  const running = new Map<string, Promise<SessionRows | undefined>>()
  /** Sessions whose rows were rebuilt, but could not be stored for want of room. */
  const unplaced = new Set<string>()

  async function run(key: string): Promise<SessionRows | undefined> {
    const { rows, isRepaired, hasNoRoom } = (await repair(key)) ?? {}
    if (rows !== undefined && isRepaired) onRepaired(rows)
    if (hasNoRoom) unplaced.add(key)
    else unplaced.delete(key)
    return rows
  }

  const repairOnce = (key: string): Promise<SessionRows | undefined> => {
    const repairing = running.get(key) ?? run(key).finally(() => running.delete(key))
    running.set(key, repairing)
    return repairing
  }

  return {
    ...backend,
    commit: async (batch, durability) => {
      const outcome = await backend.commit(batch, durability)
      if (outcome.stored) return outcome
      // A plan on rows that can't be replaced would always be outdated, so that planning it again is pointless.
      for (const key of outcome.stale)
        if (unplaced.has(key))
          throw new SessionError(
            'QuotaExceeded',
            `Session "${key}" has a damaged row and no room for a new one. It can be read. Free some space to write to it.`,
          )
      return outcome
    },
    loadSession: async (key) => {
      try {
        const rows = await backend.loadSession(key)
        unplaced.delete(key)
        return rows
      } catch (error) {
        if (!isSessionError(error, 'ChecksumMismatch')) throw error
        const rows = await repairOnce(key)
        if (rows === undefined) throw error
        return rows
      }
    },
    listSessions: async (onDamaged) => {
      const damaged: string[] = []
      const rows: HotRow[] = [...(await backend.listSessions((key) => damaged.push(key)))]
      for (const key of damaged) {
        const repaired = await repairOnce(key).catch(() => undefined)
        if (repaired === undefined) onDamaged?.(key)
        else rows.push(repaired.hot)
      }
      return rows
    },
  }
}
