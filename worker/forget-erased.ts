import type { CoreBackend } from '../src/contract/backend.ts'
import type { ChangeSink, SessionChange } from '../src/contract/change.ts'
import type { Journal } from '../src/mirror/journal-commits.ts'
import type { OpenMirror } from '../src/mirror/open-mirror.ts'

export interface ErasedFrom {
  readonly backend: CoreBackend
  readonly mirror: OpenMirror
  readonly journal: Pick<Journal<CoreBackend>, 'settle'> | undefined
}

/** Takes out of this worker's file what other tabs and jobs announce to be erased. */
export function forgetErased({ backend, mirror, journal }: ErasedFrom): ChangeSink {
  async function forget({ key, listing }: SessionChange): Promise<void> {
    // A session that was begun anew with this key must be known to the database, so that it stays.
    await journal?.settle(({ answered }) => answered.key === key)
    const before = mirror.end()
    const rows = await backend.loadSession(key)
    if (listing === undefined) mirror.forget(key, rows?.hot.session, before)
    else if (rows !== undefined) mirror.forgetEntries(key, rows.cold.purged)
  }

  return (change) => {
    if (change.type !== 'session' || (change.listing !== undefined && !change.erased)) return
    // The next start erases what could not be erased now.
    forget(change).catch(() => undefined)
  }
}
