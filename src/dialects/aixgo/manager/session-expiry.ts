import type { SessionClient } from '../../../client/client-contract.ts'
import { inGroups } from '../../../client/worker/in-groups.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { eraseExpired } from './erase-expired.ts'
import { isExpired } from './is-expired.ts'
import { keepSwept } from './keep-swept.ts'
import { sessionPages } from './session-pages.ts'

/** The number of sessions that a sweep erases at the same time. */
const sweptAtOnce = 32

/** Erases sessions that have expired. */
export interface SessionExpiry {
  /** Erases all that have expired, deleted ones included. @returns their keys */
  sweep(): Promise<readonly string[]>
  /** Erases one session if it has expired. @returns whether it did */
  eraseIfExpired(meta: SessionMeta): Promise<boolean>
}

/**
 * @param name - of the database
 * @param ttl - milliseconds, for sessions without a `ttl` of their own; 0: never expire
 * @param everyMs - how often all are swept automatically; 0: never
 * @param ending - ends sweeps
 */
export function createExpiry(
  given: SessionStore | SessionClient,
  name: string,
  ttl: number,
  everyMs: number,
  ending: AbortSignal,
): SessionExpiry {
  const store = 'session' in given ? given.store : given
  const erase = (key: string, term?: number): Promise<boolean> => eraseExpired(store, key, { name, ttl, term })
  const sweep = async (term?: number, signal = ending): Promise<readonly string[]> => {
    const gone: string[] = []
    for (const deleted of [false, true]) {
      for await (const page of sessionPages(store, { deleted, limit: 1000 })) {
        // The list tells the age of ten thousand sessions at once; their own rows would be read one by one.
        const over = page.filter((listing) => isExpired(listing, ttl, Date.now()))
        await inGroups(over, sweptAtOnce, async ({ key }) => void ((await erase(key, term)) && gone.push(key)), signal)
        if (signal.aborted) return gone
      }
    }
    return gone
  }
  if (everyMs > 0) keepSwept(given, sweep, everyMs, ending)
  return { sweep: () => sweep(), eraseIfExpired: async (meta) => isExpired(meta, ttl, Date.now()) && erase(meta.key) }
}
