import type { VersionVector } from '../contract/entry.ts'
import type { TermOptions } from '../contract/term.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { FailedSessions } from './failed-sessions.ts'
import { isGone } from './is-gone.ts'
import type { Presence } from './presence/create-presence.ts'
import type { Reporter } from './report.ts'
import { documentIdOf } from './document-id.ts'
import { openSessionLink, type SessionTrouble } from './session-link.ts'
import { commonLife, isBegunAnew, purgedOf } from './session-standing.ts'
import { createSessionWindow, type SessionWindow, type SessionWindowOptions, type WindowEvents } from './session-window.ts'
import { sameContent } from './same-content.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncOptions, SyncStore } from './sync-contract.ts'
import type { ListTeller } from './tell-list.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './purge-reports.ts'
import type { WatchedSessions } from './watched-sessions.ts'

export interface ConnectedSessionsOptions extends Pick<SyncOptions, 'store' | 'transport' | 'namespace'>, Pick<SessionWindowOptions, 'size' | 'liveMs' | 'now'> {
  readonly our: () => UnderKey
  readonly term: TermOptions
  readonly presence: Presence | undefined
  readonly watched: WatchedSessions
  readonly failed: FailedSessions
  readonly settled: SettledSessions
  readonly teller: ListTeller
  readonly purges: Pick<UntoldPurges, 'get' | 'forget'>
  readonly report: Reporter
  readonly isClosed: () => boolean
  readonly onReadonly: () => void
  /** It is to be looked at anew: another device purged it while it was exchanged, or it may have been begun anew while what was purged was let go of. */
  readonly onOpen: () => void
  readonly onError: (error: unknown) => void
  readonly onChange: () => void
}

/** Which document a session is exchanged in, and what of it. */
interface Exchange {
  /** Which life of it. */
  readonly life: number
  /** What is to be let go of there. */
  readonly erased: VersionVector | undefined
  /** Whether that is all that is done. `past`: that life is over, and the session is exchanged in a later one. */
  readonly only?: 'erased' | 'past'
}

export interface ConnectedSessions extends SessionWindow {
  /** Lets go of those that are to be exchanged otherwise than they are by now, as their next life has begun, and has them looked at anew. */
  dropStale(): void
}

/** The sessions that are connected, and what is told and noted of each that was exchanged. */
export function createConnectedSessions({ our, store, transport, namespace, term, presence, watched, failed, settled, teller, purges, report, isClosed, onReadonly, onOpen, onError, onChange, ...options }: ConnectedSessionsOptions): ConnectedSessions {
  /** How those that are connected are exchanged. */
  const exchanges = new Map<string, Exchange>()
  /** Those of which something came that is not taken here. */
  const refused = new Set<string>()

  const exchangeOf = (key: string): Exchange => {
    const local = our().locals.all.get(key)
    const entry = settled.entryOf(key)
    const life = commonLife(local, entry)
    const purge = purges.get(key)
    // Where a server keeps documents. Among equals nobody has one of a life that is over.
    if (purge !== undefined && transport.onAsked === undefined && (purge.life ?? 0) < life) return { life: purge.life ?? 0, erased: purge.vector, only: 'past' }
    return { life, erased: purgedOf(life, entry), ...(local === undefined && entry !== undefined && isGone(entry) ? { only: 'erased' } : {}) }
  }

  /** What was begun anew while its key was in a later life says so from now on: when it is purged, that life is meant. */
  const enterLife = async (key: string, { life, erased }: Exchange): Promise<void> => {
    const local = our().locals.all.get(key)
    if (local === undefined || erased === undefined || (local.listing.life ?? 0) >= life || !isBegunAnew(local.vector, erased)) return
    await (local.listing.deletedAt === undefined ? store.undelete : store.delete)(key, { life, ...term })
  }

  const open = async (key: string, events: WindowEvents): ReturnType<typeof openSessionLink> => {
    const { codec, locals, blobs } = our()
    const id = locals.all.get(key)?.id ?? (await codec.idOf(key))
    const exchange = exchangeOf(key)
    const { life, erased } = exchange
    exchanges.set(key, exchange)
    refused.delete(key)
    const isAll = exchange.only !== undefined
    if (!isAll) await enterLife(key, exchange)
    const documentId = documentIdOf(id, life)
    const visit = isAll ? undefined : presence?.enter(key, id)
    try {
      return await openSessionLink({
        store: isAll ? nothingStored : store, key, name: `${namespace}/s/${documentId}`, elements: codec.elements(documentId), erased, transport, ...(isAll ? {} : { blobs }), ...(visit && { visit }), ...term, ...events,
        onSent: (entries) => report.sent(entries),
        onReport: ({ added, quarantined }) => {
          report.received(key, added)
          report.quarantine(key, quarantined)
          if (quarantined.length > 0) refused.add(key)
          onChange()
        },
      })
    } catch (error) {
      visit?.leave()
      throw error
    }
  }

  /** Both sides have the same: the list is to say so, unless more was written here since, which is still to be sent. */
  const onSynced = async (key: string, proven: VersionVector, isMost: boolean): Promise<boolean> => {
    try {
      const { locals } = our()
      const exchange = exchanges.get(key) ?? exchangeOf(key)
      const { life, erased, only } = exchange
      if (erased !== undefined && purges.get(key) !== undefined) await purges.forget({ key, vector: erased, life })
      if (only !== undefined) {
        await letGo(key, exchange)
        return true
      }
      await locals.refresh()
      const local = locals.all.get(key)
      const isProven = (): boolean => {
        const now = locals.all.get(key)
        return isMost || now === undefined || teller.isErasedElsewhere(now) || includesVector(proven, now.vector)
      }
      if (!isProven()) return false
      if (local !== undefined && !isClosed() && !teller.isErasedElsewhere(local)) await teller.publishSoon(local)
      if (local === undefined && !locals.unreadable.has(key) && transport.onAsked === undefined && !isClosed()) await tellMissing(key, life)
      // Somebody may have looked at what was written while that was told.
      if (!isProven()) return false
      if (!isCurrent(key, exchange) || (local !== undefined && teller.isErasedElsewhere(local))) onOpen()
      else settled.add(key)
      failed.succeeded(key)
    } catch (error) {
      onError(error)
    }
    return true
  }

  /**
   * Nothing came of what the list names, as from a server that goes on from an old backup. What came and was refused is there: to say that it is not would
   * have others say for ever that it is.
   */
  const tellMissing = async (key: string, life: number): Promise<void> => {
    if (refused.has(key)) return
    const entry = settled.entryOf(key)
    if (entry !== undefined && !isGone(entry) && commonLife(undefined, entry) === life) await teller.tellMissing(await our().codec.idOf(key), entry)
  }

  /**
   * Whether it would be exchanged in the same way by now. If not, that exchange says nothing of what the list says now: while it was noted, the list may
   * have learned of another purge, which the server has not let go of yet.
   */
  const isCurrent = (key: string, exchange: Exchange): boolean => sameContent(exchange, exchangeOf(key))

  const letGo = async (key: string, exchange: Exchange): Promise<void> => {
    // What was begun anew meanwhile is here now, and has not been exchanged; nor has what goes on in a later life.
    if (exchange.only === 'erased' && !our().locals.all.has(key) && isCurrent(key, exchange)) settled.add(key)
    failed.succeeded(key)
    // While it is under way it can't be taken up again.
    await window.drop(key)
    onOpen()
  }

  const onTrouble = (key: string, trouble: SessionTrouble): void => {
    if (trouble.state === 'readonly') onReadonly()
    if ('message' in trouble) onError(new Error(`Session "${key}": ${trouble.message}`))
    if (trouble.state === 'wrongKey') our().sealed.add(key)
    if (trouble.state !== 'offline') settled.add(key)
    if (trouble.state === 'error' || trouble.state === 'denied' || trouble.state === 'offline') failed.failed(key)
    onChange()
  }

  const window = createSessionWindow({ ...options, open, onSynced, onTrouble, onChange, isKept: (key) => watched.has(key) || presence?.streaming().includes(key) === true })
  return {
    ...window,
    dropStale: () => {
      for (const [key, exchange] of exchanges) {
        if (!window.isOpen(key)) exchanges.delete(key)
        else if (!isCurrent(key, exchange)) {
          exchanges.delete(key)
          settled.delete(key)
          void window.drop(key).then(onOpen)
        }
      }
    },
  }
}

/** In the place of a store, for a session of which nothing is here, nor is to come here. */
const nothingStored: Pick<SyncStore, 'changes' | 'merge' | 'flush'> = {
  changes: async () => ({ entries: [], vv: {} }),
  merge: async () => ({ added: 0, known: 0, refused: [] }),
  flush: async () => undefined,
}
