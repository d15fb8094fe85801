import type { CoreBackend } from '../src/contract/backend.ts'
import type { Mend } from '../src/storage/engine/upkeep/mend-rows.ts'
import type { Announcer } from './announce-changes.ts'

/**
 * Has a job worker rebuild rows, because the code for it is large and seldom needed. Without a job worker the page may
 * have rebuilt them.
 */
export const mendElsewhere =
  ({ mend }: Pick<Announcer, 'mend'>, backend: CoreBackend): Mend =>
  async (key) => {
    const mended = await mend(key)
    if (mended !== undefined) return mended
    const rows = await backend.loadSession(key)
    return rows && { rows, isMended: false }
  }
