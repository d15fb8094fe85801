import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import { type ErasePurgedOptions, erasePurged } from './erase-purged.ts'
import type { IndexEntry } from './index-entry.ts'
import type { LocalSession } from './local-sessions.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'

/** What a change of keys has to know of the sessions that are here. */
export interface SessionsHere {
  /** @throws when it cannot be read */
  local(key: string): Promise<LocalSession | undefined>
  /** What was purged here, whether the list says so or not. */
  purge(key: string): Promise<PurgeRecord | undefined>
  /** Erases here what the list says was purged elsewhere. Rejects with the obstacle. */
  erase(key: string, entry: IndexEntry): Promise<void>
}

export interface SessionsHereOptions
  extends Pick<ErasePurgedOptions, 'our' | 'store' | 'term' | 'report' | 'received'> {
  readonly purges: Pick<PurgeAnnouncements, 'get' | 'isExpected' | 'load'>
}

export function sessionsHere({ purges, ...options }: SessionsHereOptions): SessionsHere {
  return {
    local: async (key) => {
      const { locals } = options.our()
      await locals.refresh()
      const unreadable = locals.unreadable.get(key)
      if (unreadable !== undefined) throw new Error(unreadable.message)
      return locals.all.get(key)
    },
    purge: async (key) => {
      if (purges.isExpected(key)) await purges.load()
      return purges.get(key)
    },
    // Nothing is settled or connected while the key is changed.
    erase: (key, entry) =>
      erasePurged(key, {
        ...options,
        settled: { entryOf: () => entry, has: () => false, add: nothing, delete: nothing, clear: nothing },
        onErase: async () => undefined,
      }),
  }
}

const nothing = (): void => undefined
