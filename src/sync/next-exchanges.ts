import { isGone } from './is-gone.ts'
import { standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncPlan } from './status.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './purge-reports.ts'

export interface NextExchangesOptions {
  readonly our: Pick<UnderKey, 'index' | 'locals' | 'sealed'>
  readonly plan: SyncPlan
  readonly settled: SettledSessions
  /** Sessions that are to be connected whatever the list says. */
  readonly due: readonly string[]
  readonly purges: Pick<UntoldPurges, 'all'>
  /** Whether it was purged here and the list does not say so yet. */
  readonly isUntold: (key: string) => boolean
}

/**
 * Which sessions are to be exchanged: those that somebody looks at, then changed ones, then those that are not here, newest first; last those that
 * were purged here, so that the server lets go of them.
 */
export function nextExchanges({ our: { index, locals, sealed }, plan, settled, due, purges, isUntold }: NextExchangesOptions): readonly string[] {
  const newest = new Map([...index.entries().values()].map(({ key, updatedAt }) => [key, updatedAt]))
  const age = (key: string): number => Math.max(locals.all.get(key)?.listing.updatedAt ?? 0, newest.get(key) ?? 0)
  const latestFirst = (keys: readonly string[]): string[] => keys.filter((key) => !settled.has(key) && !sealed.has(key)).sort((a, b) => age(b) - age(a))
  const isKept = (key: string): boolean => {
    const local = locals.all.get(key)
    const standing = local && standingOf(local, settled.entryOf(key))
    return standing === 'erase' || standing === 'kept'
  }
  const seen = due.filter((key) => !sealed.has(key) && !isKept(key) && !isGone(settled.entryOf(key) ?? { hash: '' }))
  const purged = purges.all().map(({ key }) => key)
  const all = new Set([...seen, ...latestFirst([...plan.exchange, ...plan.upload]), ...latestFirst(plan.download), ...latestFirst(purged)])
  return [...all].filter((key) => !isUntold(key) && !locals.unreadable.has(key))
}
