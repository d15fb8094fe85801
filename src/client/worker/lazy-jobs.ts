import type { StoreJobs } from './store-helpers.ts'

/**
 * Loads with the first job what does the jobs of a store.
 *
 * @param prepare - what each job waits for. Never rejects
 */
export function createLazyJobs(load: () => Promise<StoreJobs>, prepare: () => Promise<void>): StoreJobs {
  let jobs: Promise<StoreJobs> | undefined
  /** The jobs that did not begin yet. */
  const starting = new Set<Promise<unknown>>()
  return {
    run: async (method, args) => {
      jobs ??= load().catch((error: unknown) => {
        // Loading may succeed the next time.
        jobs = undefined
        throw error
      })
      const start = Promise.all([jobs, prepare()]).then(([loaded]) => ({ result: loaded.run(method, args) }))
      starting.add(start)
      try {
        return await (await start).result
      } finally {
        starting.delete(start)
      }
    },
    close: async () => {
      await Promise.allSettled(starting)
      // The waiting calls have reported a failed loading already.
      await (await jobs?.catch(() => undefined))?.close()
    },
  }
}
