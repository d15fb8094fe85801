import type { CoreBackend, MendedRows, SessionRemains } from '../../../contract/backend.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { emptyCold, emptyRows } from '../../../domain/empty-rows.ts'
import { findFormerKeys } from '../writing/former-operations.ts'
import { orderEnd } from '../../../domain/order.ts'
import { readLog, withPending } from './rebuild-session.ts'
import { unpaced } from '../work-pace.ts'

/** How often it is begun anew because another tab wrote meanwhile. */
const attemptLimit = 20

/** Makes the rows of a session again from its entries, and stores them. @returns `undefined` where there is no telling which entries are its own */
export async function mendSession(backend: CoreBackend, key: string, now: () => number): Promise<MendedRows | undefined> {
  const { salvage } = backend
  for (let attempts = attemptLimit; salvage !== undefined; attempts--) {
    const remains = await salvage.findRemains(key)
    if (remains === undefined) return undefined
    const rows = await rebuild(backend, key, remains, now())
    try {
      if (await salvage.replaceRows(rows)) return { rows, isMended: true }
    } catch (error) {
      // Where there is no room for them they can be read all the same.
      if (!isSessionError(error, 'QuotaExceeded')) throw error
      return { rows, isMended: false, hasNoRoom: true }
    }
    if (attempts === 1) return { rows, isMended: false }
    // Another tab was faster: with mending it, or with writing to it.
    const found = await backend.loadSession(key).catch((error: unknown) => (isSessionError(error, 'ChecksumMismatch') ? 'damaged' : Promise.reject(error)))
    if (found !== 'damaged') return found && { rows: found, isMended: false }
  }
  return undefined
}

/** What of it can't be read is lost until another device, or the mirror, has it. */
async function rebuild(backend: CoreBackend, key: string, { session, hot, cold, lanes, operations, recent }: SessionRemains, now: number): Promise<SessionRows> {
  const branches: Record<string, number> = { '': 0 }
  for (const lane of lanes) {
    const { entries: [first] } = await backend.readRange({ session, lane, from: '', to: orderEnd, limit: 1 })
    // No lane may be given away that has records, also when none of them can be read.
    branches[lane === 0 ? '' : (first?.branch ?? `unreadable lane ${lane}`)] = lane
  }
  // Local numbers are given by count.
  const highest = lanes.reduce((a, b) => Math.max(a, b), 0)
  for (let lane = 1; lane < highest; lane++) if (!lanes.includes(lane)) branches[`empty lane ${lane}`] = lane
  const known = { ...emptyRows(key, session).hot, operations, recent }
  // Above any that another tab can have seen: what that one planned on its rows must be planned anew.
  const version = hot === undefined ? Math.max(cold?.version ?? 0, now) + 1 : hot.version + 1
  // No entry says it: it is found again where the logs were that go on in this one.
  const formerly = hot === undefined ? await findFormerKeys(backend, key) : []
  const log = await readLog(backend, { ...(hot ?? { ...known, ...(formerly.length === 0 ? {} : { formerly }) }), version }, cold ?? { ...emptyCold, lanes: branches }, unpaced)
  const { hot: made, cold: fold } = await withPending(backend, log, unpaced)
  return { hot: made, cold: { ...fold, version } }
}
