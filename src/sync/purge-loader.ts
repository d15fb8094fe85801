import type { PurgeAnnouncements } from './purge-announcements.ts'

/** Loads what was purged here, until it is known. */
export interface PurgeLoader {
  /** Loads it if the last attempt failed, or there was none. */
  loadUnknown(): Promise<void>
  /** Loads it once more, as there is another purge. `undefined` where an earlier call loads this one as well. */
  reload(): Promise<void> | undefined
}

export function createPurgeLoader(purges: Pick<PurgeAnnouncements, 'load'>): PurgeLoader {
  let isKnown = false
  /** The load that several purges at once have started together. */
  let shared: Promise<void> | undefined

  const settle = async (loading: Promise<void>): Promise<void> => {
    try {
      await loading
      isKnown = true
    } catch (error) {
      isKnown = false
      throw error
    }
  }
  return {
    loadUnknown: async () => {
      if (!isKnown) await settle(purges.load())
    },
    reload: () => {
      const loading = purges.load()
      if (loading === shared) return undefined
      shared = loading
      return settle(loading)
    },
  }
}
