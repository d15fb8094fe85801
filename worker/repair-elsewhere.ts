import type { CoreBackend } from '../src/contract/backend.ts'
import type { RepairRows } from '../src/storage/engine/upkeep/repair-on-read.ts'
import type { Announcer } from './announce-changes.ts'

/**
 * Has a job worker rebuild rows, because the code for it is large and seldom needed. Without a job worker the page may
 * have rebuilt them.
 */
export const repairElsewhere =
  ({ repair }: Pick<Announcer, 'repair'>, backend: CoreBackend): RepairRows =>
  async (key) => {
    const repaired = await repair(key)
    if (repaired !== undefined) return repaired
    const rows = await backend.loadSession(key)
    return rows && { rows, isRepaired: false }
  }
