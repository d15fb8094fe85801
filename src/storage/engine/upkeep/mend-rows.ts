import type { CoreBackend } from '../../../contract/backend.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { MendedRows } from '../../../contract/row-salvage.ts'
import type { HotRow, SessionRows } from '../../../contract/rows.ts'

/** Rebuilds the rows of a session. @returns `undefined` where that is impossible */
export type Mend = (key: string) => Promise<MendedRows | undefined>

/**
 * A backend that has unreadable rows rebuilt as soon as somebody asks for their session or for the list. So a damaged
 * row never makes a session unreachable, or the other sessions with it.
 *
 * @param onMended - called for rows that were rebuilt
 */
export function mendRows<Backend extends CoreBackend>(
  backend: Backend,
  mend: Mend,
  onMended: (rows: SessionRows) => void = () => undefined,
): Backend {
  const running = new Map<string, Promise<SessionRows | undefined>>()
  /** Sessions whose rows were rebuilt, but could not be stored for want of room. */
  const unplaced = new Set<string>()

  async function run(key: string): Promise<SessionRows | undefined> {
    const { rows, isMended, hasNoRoom } = (await mend(key)) ?? {}
    if (rows !== undefined && isMended) onMended(rows)
    if (hasNoRoom) unplaced.add(key)
    else unplaced.delete(key)
    return rows
  }

  const mendOnce = (key: string): Promise<SessionRows | undefined> => {
    const mending = running.get(key) ?? run(key).finally(() => running.delete(key))
    running.set(key, mending)
    return mending
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
