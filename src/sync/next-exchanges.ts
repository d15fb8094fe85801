import type { KeyScope } from './key-scope.ts'
import { standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncPlan } from './status.ts'

export interface NextExchangesOptions {
  readonly our: Pick<KeyScope, 'index' | 'locals' | 'sealed'>
  readonly plan: SyncPlan
  readonly settled: SettledSessions
  /** Sessions that have to be connected whatever the list says. */
  readonly pending: readonly string[]
  /** What was purged here and a server may still have. */
  readonly purged: readonly string[]
  /** Whether it was purged here and the list does not say so yet. */
  readonly isUnreported: (key: string) => boolean
}

/**
 * The sessions to exchange, in this order: those that are watched, changed ones, those that are not here, newest first;
 * last those that were purged here, so that the server removes them.
 */
export function nextExchanges({
  our: { index, locals, sealed },
  plan,
  settled,
  pending,
  purged,
  isUnreported,
}: NextExchangesOptions): readonly string[] {
  const newest = new Map([...index.entries().values()].map(({ key, updatedAt }) => [key, updatedAt]))
  const age = (key: string): number => Math.max(locals.all.get(key)?.listing.updatedAt ?? 0, newest.get(key) ?? 0)
  const latestFirst = (keys: readonly string[]): string[] =>
    keys.filter((key) => !settled.has(key) && !sealed.has(key)).sort((a, b) => age(b) - age(a))
  const isKept = (key: string): boolean => {
    const local = locals.all.get(key)
    const standing = local && standingOf(local, settled.entryOf(key))
    return standing === 'erase' || standing === 'kept'
  }
  const seen = pending.filter((key) => !sealed.has(key) && !isKept(key))
  const all = new Set([
    ...seen,
    ...latestFirst([...plan.exchange, ...plan.upload]),
    ...latestFirst(plan.download),
    ...latestFirst(purged),
  ])
  return [...all].filter((key) => !isUnreported(key) && !locals.unreadable.has(key))
}
