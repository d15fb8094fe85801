import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import { isGone } from './is-gone.ts'
import { keepApart } from './keep-apart.ts'
import type { Reporter } from './report.ts'
import { lifeThere, standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncStore } from './sync-contract.ts'
import type { UnderKey } from './under-key.ts'

export interface ErasePurgedOptions {
  readonly our: () => UnderKey
  readonly store: Pick<SyncStore, 'changes' | 'delete' | 'merge' | 'purge' | 'getVector' | 'resolveSessionKey'>
  readonly term: TermOptions
  readonly settled: SettledSessions
  readonly report: Reporter
  /** It is about to be erased or deleted: resolves when nothing of it is under way any more. */
  readonly onErase: (key: string) => Promise<void>
}

/**
 * Erases here what another device purged, as far as it knew all of it; what has more is deleted and kept, apart where the key has been begun anew.
 * Rejects with what is in the way, having erased nothing.
 */
export async function erasePurged(key: string, { our, store, term, settled, report, onErase }: ErasePurgedOptions): Promise<void> {
  const { locals } = our()
  // What was said a moment ago is not to be erased with the rest.
  await locals.refresh()
  const local = locals.all.get(key)
  const entry = settled.entryOf(key)
  if (local === undefined || entry?.purged === undefined || standingOf(local, entry) !== 'erase' || settled.has(key)) return
  const goesOn = (await store.resolveSessionKey(key)) !== key
  // What was never elsewhere is kept by the session that has its name, which nobody erased.
  if (goesOn) await store.merge(key, [], { isKey: true, ...term })
  const vector = await store.getVector(key, { isKey: true })
  if (vector === undefined) return
  const { purged } = entry
  const life = lifeThere(entry)
  const hasMore = !goesOn && !includesVector(purged, vector)
  // Nothing of it is to be sent from now on.
  await onErase(key)
  if (hasMore && isGone(entry)) {
    await store.delete(key, { kept: true, life, ...term })
    // The change may be heard of later than the answer: until then it is not looked at again.
    settled.add(key)
    report.quarantine(key, [{ reason: 'another device erased this session, which has entries here that were never there: it was deleted here, and can be brought back' }])
    await locals.refresh()
    return
  }
  const apart = hasMore ? await keepApart({ store, key, life, term }) : undefined
  locals.forget(key)
  try {
    await store.purge(key, { isKey: true, ...(goesOn ? {} : { known: hasMore ? vector : purged }), ...(hasMore ? { isMoved: true } : {}), ...term })
  } catch (error) {
    // What is said in this moment is kept: then it is looked at again, as when it can't be erased now.
    locals.hear({ key, listing: local.listing })
    await locals.refresh()
    throw error
  }
  if (apart === undefined) report.purged()
  else report.quarantine(key, [{ reason: `another device erased this session and began it anew: what was never there is kept as "${apart}", deleted, and can be brought back` }])
}
