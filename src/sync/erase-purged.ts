import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { Reporter } from './report.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncStore } from './sync.ts'
import type { UnderKey } from './under-key.ts'

export interface ErasePurgedOptions {
  readonly our: () => UnderKey
  readonly store: Pick<SyncStore, 'delete' | 'merge' | 'purge' | 'getVector' | 'resolveSessionKey'>
  readonly term: TermOptions
  readonly settled: SettledSessions
  readonly report: Reporter
  /** It is about to be erased: nothing of it may be under way. */
  readonly onErase: (key: string) => void
}

/** Erases here what another device purged, as far as it knew all of it. Rejects with what is in the way, having erased nothing. */
export async function erasePurged(key: string, { our, store, term, settled, report, onErase }: ErasePurgedOptions): Promise<void> {
  if (settled.has(key)) return
  settled.add(key)
  try {
    const { locals } = our()
    // What was said a moment ago is not to be erased with the rest.
    await locals.refresh()
    const local = locals.all.get(key)
    const goesOn = local !== undefined && (await store.resolveSessionKey(key)) !== key
    // What was never elsewhere is kept by the session that has its name, which nobody erased.
    if (goesOn) await store.merge(key, [], { isKey: true, ...term })
    const vector = await store.getVector(key, { isKey: true })
    const purged = settled.entryOf(key)?.purged
    if (local === undefined || vector === undefined || purged === undefined) return
    settled.add(key)
    if (goesOn || includesVector(purged, vector)) {
      onErase(key)
      locals.forget(key)
      await store.purge(key, { isKey: true, ...(goesOn ? {} : { known: purged }), ...term }).catch(async (error: unknown) => {
        // What is said in this moment is kept: then it is looked at again, as when it can't be erased now.
        locals.hear({ key, listing: local.listing })
        await locals.refresh()
        throw error
      })
      report.purged()
    } else if (local.listing.deletedAt === undefined) {
      await store.delete(key, term)
      report.quarantine(key, [{ reason: 'another device erased this session, which has entries here that were never there: it was deleted here, and can be brought back' }])
    }
  } catch (error) {
    settled.delete(key)
    throw error
  }
}
