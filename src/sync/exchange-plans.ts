import type { VersionVector } from '../contract/entry.ts'
import { isGone } from './is-gone.ts'
import type { KeyScope } from './key-scope.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import { sameContent } from './same-content.ts'
import { commonLife, lifeThere, purgedOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'

/** In which document a session is exchanged, and what of it. */
export interface ExchangePlan {
  /** The life of the session. */
  readonly life: number
  /** What the other side has to remove from the document. */
  readonly erased: VersionVector | undefined
  /** Present where nothing else is done. `past`: this life is over, and the session is exchanged in a later one. */
  readonly only?: 'erased' | 'past'
}

export interface ExchangePlansOptions {
  readonly our: () => KeyScope
  readonly settled: Pick<SettledSessions, 'entryOf'>
  readonly purges: Pick<PurgeAnnouncements, 'get' | 'dueLife'>
  /** Whether there are only peers, and no server that keeps documents. */
  readonly isAmongPeers: boolean
}

/** How sessions are exchanged: by what the list says now, and how each connected one is being exchanged. */
export interface ExchangePlans {
  /** By what the list says now. */
  planFor(key: string): ExchangePlan
  /**
   * The life that the list names where the session is in a later one here. Others have begun it anew there, and may be
   * gone: what they said is fetched before the session continues.
   */
  earlierLife(key: string): ExchangePlan | undefined
  /** Makes a plan, and records it as the one that is being carried out. */
  begin(key: string): ExchangePlan
  /** The recorded plan. */
  recorded(key: string): ExchangePlan | undefined
  /**
   * Whether the session would still be exchanged in the same way. If not, the exchange proves nothing about what the
   * list says now: in the meantime the list may have received another purge, which the server has not carried out yet.
   */
  isCurrent(key: string, plan: ExchangePlan): boolean
  /** Forgets the plans of closed sessions and those that are out of date. @returns the open sessions of the latter */
  takeStale(isOpen: (key: string) => boolean): readonly string[]
}

export function createExchangePlans({ our, settled, purges, isAmongPeers }: ExchangePlansOptions): ExchangePlans {
  const plans = new Map<string, ExchangePlan>()

  const planFor = (key: string): ExchangePlan => {
    const local = our().locals.all.get(key)
    const entry = settled.entryOf(key)
    const life = commonLife(local, entry)
    const purge = purges.get(key)
    // Peers have no documents of a life that is over; a server has.
    const due = isAmongPeers ? undefined : purges.dueLife(key)
    if (purge !== undefined && due !== undefined && due < life) return { life: due, erased: purge.vector, only: 'past' }
    const isErasedOnly = local === undefined && entry !== undefined && isGone(entry)
    return { life, erased: purgedOf(life, entry), ...(isErasedOnly ? { only: 'erased' } : {}) }
  }
  const isCurrent = (key: string, plan: ExchangePlan): boolean => sameContent(plan, planFor(key))

  return {
    planFor,
    earlierLife: (key) => {
      const local = our().locals.all.get(key)
      const entry = settled.entryOf(key)
      if (isAmongPeers || local === undefined || entry === undefined || isGone(entry)) return undefined
      const life = lifeThere(entry)
      return life < commonLife(local, entry) ? { life, erased: purgedOf(life, entry) } : undefined
    },
    begin: (key) => {
      const plan = planFor(key)
      plans.set(key, plan)
      return plan
    },
    recorded: (key) => plans.get(key),
    isCurrent,
    takeStale: (isOpen) => {
      const stale: string[] = []
      for (const [key, plan] of plans) {
        if (isOpen(key) && isCurrent(key, plan)) continue
        plans.delete(key)
        if (isOpen(key)) stale.push(key)
      }
      return stale
    },
  }
}
