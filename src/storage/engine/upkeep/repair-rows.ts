import type { CoreBackend } from '../../../contract/backend.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { RepairedRows, SessionRemains } from '../../../contract/row-salvage.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { emptyCold, emptyRows } from '../../../domain/empty-rows.ts'
import { orderEnd } from '../../../domain/order.ts'
import { unpaced } from '../work-pace.ts'
import { findFormerKeys } from '../writing/former-operations.ts'
import { readLog, withPending } from './rebuild-session.ts'

/** How often to start again because another tab wrote in the meantime. */
const attemptLimit = 20

/**
 * Rebuilds the rows of a session from its entries, and stores them. @returns `undefined` when it is unknown which
 * entries are its own
 */
export async function repairRows(
  backend: CoreBackend,
  key: string,
  now: () => number,
): Promise<RepairedRows | undefined> {
  const { salvage } = backend
  for (let attempts = attemptLimit; salvage !== undefined; attempts--) {
    const remains = await salvage.findRemains(key)
    if (remains === undefined) return undefined
    const rows = await rebuild(backend, key, remains, now())
    try {
      if (await salvage.replaceRows(rows)) return { rows, isRepaired: true }
    } catch (error) {
      // Without room to store them, the rows can still be used for reading.
      if (!isSessionError(error, 'QuotaExceeded')) throw error
      return { rows, isRepaired: false, hasNoRoom: true }
    }
    if (attempts === 1) return { rows, isRepaired: false }
    // Another tab rebuilt them first, or wrote to the session.
    const found = await backend
      .loadSession(key)
      .catch((error: unknown) => (isSessionError(error, 'ChecksumMismatch') ? 'damaged' : Promise.reject(error)))
    if (found !== 'damaged') return found && { rows: found, isRepaired: false }
  }
  return undefined
}

/** Unreadable parts are lost until another device, or the mirror, restores them. */
async function rebuild(
  backend: CoreBackend,
  key: string,
  { session, hot, cold, lanes, operations, recent }: SessionRemains,
  now: number,
): Promise<SessionRows> {
  const branches: Record<string, number> = { '': 0 }
  for (const lane of lanes) {
    const {
      entries: [first],
    } = await backend.readRange({ session, lane, from: '', to: orderEnd, limit: 1 })
    // A lane that has records must not be given to another branch, even when none of its records can be read.
    branches[lane === 0 ? '' : (first?.branch ?? `unreadable lane ${lane}`)] = lane
  }
  // Local numbers are assigned by count.
  const highest = lanes.reduce((a, b) => Math.max(a, b), 0)
  for (let lane = 1; lane < highest; lane++) if (!lanes.includes(lane)) branches[`empty lane ${lane}`] = lane
  const known = { ...emptyRows(key, session).hot, operations, recent }
  // The version is above any that another tab can have seen, so that plans on its old rows are made again.
  const version = hot === undefined ? Math.max(cold?.version ?? 0, now) + 1 : hot.version + 1
  // No entry has this fact. It is found in the sessions whose logs this one continues.
  const formerly = hot === undefined ? await findFormerKeys(backend, key) : []
  const log = await readLog(
    backend,
    { ...(hot ?? { ...known, ...(formerly.length === 0 ? {} : { formerly }) }), version },
    cold ?? { ...emptyCold, lanes: branches },
    unpaced,
  )
  const { hot: made, cold: fold } = await withPending(backend, log, unpaced)
  return { hot: made, cold: { ...fold, version } }
}
