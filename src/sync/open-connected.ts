import type { VersionVector } from '../contract/entry.ts'
import type { ConnectedSessionsOptions } from './connected-sessions-options.ts'
import { connectedStore } from './connected-store.ts'
import { documentIdOf } from './document-id.ts'
import type { ExchangePlan, ExchangePlans } from './exchange-plans.ts'
import { EntriesMissing, fetchSession } from './fetch-session.ts'
import type { KeyScope } from './key-scope.ts'
import { openSessionLink, type SessionLink } from './session-link.ts'
import type { SessionLinkOptions } from './session-link-options.ts'
import { isBegunAnew } from './session-standing.ts'
import type { WindowEvents } from './session-window-options.ts'
import type { SyncStore } from './sync-contract.ts'
import type { SyncedSessions } from './synced-sessions.ts'

export interface SessionOpenerOptions extends ConnectedSessionsOptions {
  readonly plans: Pick<ExchangePlans, 'begin' | 'earlierLife'>
  readonly synced: Pick<SyncedSessions, 'begin' | 'addRefused'>
}

/** Connects a session in the way in which it has to be exchanged now. */
export function sessionOpener(
  options: SessionOpenerOptions,
): (key: string, events: WindowEvents) => Promise<SessionLink> {
  const { our, store, presence, plans, received, synced, onError, transport } = options
  return async (key, events) => {
    // Another key may come into use while this is under way.
    const scope = our()
    // What comes is for this session, and for none that is begun anew meanwhile.
    const local = scope.locals.all.get(key)
    const id = local?.id ?? (await scope.codec.idOf(key))
    const plan = plans.begin(key)
    synced.begin(key)
    if (plan.only === undefined && !events.isClosed()) await enterLife(key, plan, options)
    const having = local?.vector ?? {}
    const { isClosed } = events
    const earlier = plan.only === undefined ? plans.earlierLife(key) : undefined
    if (earlier !== undefined)
      await fetchSession({
        ...linkOptions(key, id, earlier, scope, options),
        store: connectedStore(store, { having, isClosed, without: earlier.erased }),
        signal: events.signal,
      }).catch((error: Error) => {
        // The life before is not exchanged again once this one is in the list. Only what no retry brings is passed over.
        if (isClosed() || !(error instanceof EntriesMissing)) throw error
        onError(new Error(`Session "${key}": what others said in its life before did not come: ${error.message}`))
      })
    const onAccepted = (accepted: VersionVector): void => {
      if (transport.onAsked === undefined) received.add(key, plan.life, accepted)
    }
    const visit = plan.only === undefined ? presence?.enter(key, id) : undefined
    try {
      return await openSessionLink({
        ...linkOptions(key, id, plan, scope, options),
        store:
          plan.only === undefined
            ? connectedStore(store, { having, isClosed, onAccepted, without: plan.erased })
            : nothingStored,
        ...(visit && { visit }),
        ...events,
      })
    } catch (error) {
      visit?.leave()
      throw error
    }
  }
}

function linkOptions(
  key: string,
  id: string,
  { life, only, erased }: ExchangePlan,
  { codec, blobs }: KeyScope,
  { transport, namespace, term, report, synced, onChange }: SessionOpenerOptions,
): Omit<SessionLinkOptions, keyof WindowEvents | 'store'> {
  const documentId = documentIdOf(id, life)
  return {
    key,
    name: `${namespace}/s/${documentId}`,
    elements: codec.elements(documentId),
    erased,
    transport,
    ...(only === undefined ? { blobs } : {}),
    ...term,
    onSent: (entries) => report.sent(entries),
    onReport: ({ added, quarantined }) => {
      report.received(key, added)
      report.quarantine(key, quarantined)
      if (quarantined.length > 0) synced.addRefused(key)
      onChange()
    },
  }
}

/**
 * A session that was restarted while its key was in a later life belongs to that life from now on, so that a purge means
 * that life.
 */
async function enterLife(
  key: string,
  { life, erased }: ExchangePlan,
  { our, store, term }: SessionOpenerOptions,
): Promise<void> {
  const local = our().locals.all.get(key)
  if (local === undefined || erased === undefined) return
  if ((local.listing.life ?? 0) >= life || !isBegunAnew(local.vector, erased)) return
  // A log that was continued in another session is brought into that life with it.
  const having = local.listing.promotedTo === undefined ? { having: local.vector } : {}
  await (local.listing.deletedAt === undefined ? store.undelete : store.delete)(key, { life, ...having, ...term })
}

/** Replaces the store for a session of which nothing is here and nothing may come here. */
const nothingStored: Pick<SyncStore, 'changes' | 'merge' | 'flush'> = {
  changes: async () => ({ entries: [], vv: {} }),
  merge: async () => ({ added: 0, known: 0, refused: [] }),
  flush: async () => undefined,
}
