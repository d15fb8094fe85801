import type { TermOptions } from '../contract/term.ts'
import { documentIdOf } from './document-id.ts'
import { createExchangePlans, type ExchangePlan } from './exchange-plans.ts'
import type { FailedSessions } from './failed-sessions.ts'
import type { KeyScope } from './key-scope.ts'
import type { Presence } from './presence/create-presence.ts'
import type { ListPublisher } from './publish-list.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import type { Reporter } from './report.ts'
import { openSessionLink, type SessionLink, type SessionTrouble } from './session-link.ts'
import { isBegunAnew } from './session-standing.ts'
import {
  createSessionWindow,
  type SessionWindow,
  type SessionWindowOptions,
  type WindowEvents,
} from './session-window.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncOptions, SyncStore } from './sync-contract.ts'
import { createSyncedSessions } from './synced-sessions.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface ConnectedSessionsOptions
  extends Pick<SyncOptions, 'store' | 'transport' | 'namespace'>,
    Pick<SessionWindowOptions, 'size' | 'liveMs' | 'now'> {
  readonly our: () => KeyScope
  readonly term: TermOptions
  readonly presence: Presence | undefined
  readonly watched: WatchedSessions
  readonly failed: FailedSessions
  readonly settled: SettledSessions
  readonly publisher: ListPublisher
  readonly purges: Pick<PurgeAnnouncements, 'get' | 'forget'>
  readonly report: Reporter
  readonly isClosed: () => boolean
  readonly onReadonly: () => void
  /**
   * Sessions have to be reviewed: another device purged one while it was exchanged, or one may have been restarted
   * while the server removed what was purged.
   */
  readonly onOpen: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}

export interface ConnectedSessions extends SessionWindow {
  /**
   * Closes the sessions that would be exchanged in another way now, such as in their next life, and has them reviewed.
   */
  dropStale(): void
}

/** The sessions that are connected, and what is published and recorded of each one that was exchanged. */
export function createConnectedSessions(options: ConnectedSessionsOptions): ConnectedSessions {
  const { our, store, transport, namespace, term, presence, watched, failed, settled, purges, report } = options
  const { onReadonly, onOpen, onError, onChange } = options
  const plans = createExchangePlans({ our, settled, purges, isAmongPeers: transport.onAsked !== undefined })
  const synced = createSyncedSessions({ ...options, plans, drop: (key) => window.drop(key) })

  /**
   * A session that was restarted while its key was in a later life belongs to that life from now on, so that a purge
   * means that life.
   */
  const enterLife = async (key: string, { life, erased }: ExchangePlan): Promise<void> => {
    const local = our().locals.all.get(key)
    if (local === undefined || erased === undefined) return
    if ((local.listing.life ?? 0) >= life || !isBegunAnew(local.vector, erased)) return
    await (local.listing.deletedAt === undefined ? store.undelete : store.delete)(key, { life, ...term })
  }

  const open = async (key: string, events: WindowEvents): Promise<SessionLink> => {
    const { codec, locals, blobs } = our()
    const id = locals.all.get(key)?.id ?? (await codec.idOf(key))
    const plan = plans.begin(key)
    synced.begin(key)
    const isErasingOnly = plan.only !== undefined
    if (!isErasingOnly) await enterLife(key, plan)
    const documentId = documentIdOf(id, plan.life)
    const visit = isErasingOnly ? undefined : presence?.enter(key, id)
    try {
      return await openSessionLink({
        store: isErasingOnly ? nothingStored : store,
        key,
        name: `${namespace}/s/${documentId}`,
        elements: codec.elements(documentId),
        erased: plan.erased,
        transport,
        ...(isErasingOnly ? {} : { blobs }),
        ...(visit && { visit }),
        ...term,
        ...events,
        onSent: (entries) => report.sent(entries),
        onReport: ({ added, quarantined }) => {
          report.received(key, added)
          report.quarantine(key, quarantined)
          if (quarantined.length > 0) synced.addRefused(key)
          onChange()
        },
      })
    } catch (error) {
      visit?.leave()
      throw error
    }
  }

  const onTrouble = (key: string, trouble: SessionTrouble): void => {
    if (trouble.state === 'readonly') onReadonly()
    if ('message' in trouble) onError(new Error(`Session "${key}": ${trouble.message}`))
    if (trouble.state === 'wrongKey') our().sealed.add(key)
    if (trouble.state !== 'offline') settled.add(key)
    if (trouble.state === 'error' || trouble.state === 'denied' || trouble.state === 'offline') failed.failed(key)
    onChange()
  }

  const { size, liveMs, now } = options
  const isKept = (key: string): boolean => watched.has(key) || presence?.streaming().includes(key) === true
  const window = createSessionWindow({
    size,
    liveMs,
    now,
    open,
    onSynced: synced.onSynced,
    onTrouble,
    onChange,
    isKept,
  })
  return {
    ...window,
    dropStale: () => {
      for (const key of plans.takeStale(window.isOpen)) {
        settled.delete(key)
        void window.drop(key).then(onOpen)
      }
    },
  }
}

/** Replaces the store for a session of which nothing is here and nothing may come here. */
const nothingStored: Pick<SyncStore, 'changes' | 'merge' | 'flush'> = {
  changes: async () => ({ entries: [], vv: {} }),
  merge: async () => ({ added: 0, known: 0, refused: [] }),
  flush: async () => undefined,
}
