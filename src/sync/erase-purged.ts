import type { VersionVector } from '../contract/entry.ts'
import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import { heldElsewhere } from './has-more-than-purged.ts'
import { isGone } from './is-gone.ts'
import { isolateSession } from './isolate-session.ts'
import type { KeyScope } from './key-scope.ts'
import type { ReceivedEntries } from './received-entries.ts'
import type { Reporter } from './report.ts'
import { lifeThere, standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncStore } from './sync-contract.ts'

export interface ErasePurgedOptions {
  readonly our: () => KeyScope
  readonly store: Pick<SyncStore, 'changes' | 'delete' | 'merge' | 'purge' | 'getVector' | 'resolveSessionKey'>
  readonly term: TermOptions
  readonly settled: SettledSessions
  readonly report: Reporter
  readonly received: Pick<ReceivedEntries, 'of' | 'forget'>
  /** Called before it is erased or deleted. Resolves when nothing of it is under way any more. */
  readonly onErase: (key: string) => Promise<void>
}

/**
 * Erases here what another device purged, if that device knew all of it. A session that has more is deleted and kept,
 * isolated under another key if its key was restarted. Rejects with the obstacle, having erased nothing.
 */
export async function erasePurged(
  key: string,
  { our, store, term, settled, report, received, onErase }: ErasePurgedOptions,
): Promise<void> {
  const { locals } = our()
  // An entry that was written a moment ago must not be erased with the rest.
  await locals.refresh()
  const local = locals.all.get(key)
  const entry = settled.entryOf(key)
  if (local === undefined || entry?.purged === undefined || standingOf(local, entry) !== 'erase' || settled.has(key))
    return
  const isContinued = (await store.resolveSessionKey(key)) !== key
  // Entries that were never on another device are kept by the session that has this name now, which was not erased.
  if (isContinued) await store.merge(key, [], { isKey: true, ...term })
  const vector = await store.getVector(key, { isKey: true })
  if (vector === undefined) return
  const { purged } = entry
  const life = lifeThere(entry)
  const held = heldElsewhere(local, entry, received.of(key, life))
  const isKept = local.listing.kept === true && (await isDeletion(store, key, held))
  const hasMore = !isContinued && !includesVector(held, vector) && !isKept
  // From now on nothing of it may be sent.
  await onErase(key)
  if (hasMore && isGone(entry)) {
    await store.delete(key, { kept: true, life, having: vector, ...term })
    // The change may be reported later than the answer. Until then the session is not reviewed again.
    settled.add(key)
    report.quarantine(key, [
      {
        reason:
          'another device erased this session, which has entries here that were never there: it was deleted here, and can be brought back',
      },
    ])
    await locals.refresh()
    return
  }
  const isolatedKey = hasMore ? await isolateSession({ store, key, life, term }) : undefined
  // An entry that is written at this moment is kept, and the session is reviewed again, as when it cannot be erased now.
  await locals.erase(key, () =>
    store.purge(key, {
      isKey: true,
      ...(isContinued ? {} : { known: vector }),
      // What was begun anew is not purged.
      ...(includesVector(purged, vector) ? {} : { isMoved: true }),
      ...term,
    }),
  )
  received.forget(key)
  if (isolatedKey === undefined) report.purged()
  else
    report.quarantine(key, [
      {
        reason: `another device erased this session and restarted it: entries that were never there are kept as "${isolatedKey}", deleted, and can be brought back`,
      },
    ])
}

/**
 * Whether all that a session has here beyond a vector says that it was deleted. So it is where the purge was heard of
 * before what had been begun anew: what seemed to be here only was kept, and the server turns out to have it.
 */
async function isDeletion(store: Pick<SyncStore, 'changes'>, key: string, held: VersionVector): Promise<boolean> {
  const { entries, next } = await store.changes(key, held, undefined, { isKey: true })
  return next === undefined && entries.every(({ type }) => type === 'delete')
}
