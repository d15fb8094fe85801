import type { StoreJobs } from './store-helpers.ts'

/** Loads with the first job what does the jobs of a store. */
export function createLazyJobs(load: () => Promise<StoreJobs>): StoreJobs {
  let jobs: Promise<StoreJobs> | undefined
  return {
    run: async (method, args) => {
      jobs ??= load().catch((error: unknown) => {
        // Loading may succeed the next time.
        jobs = undefined
        throw error
      })
      return (await jobs).run(method, args)
    },
    // The waiting calls have reported a failed loading already.
    close: async () => (await jobs?.catch(() => undefined))?.close(),
  }
}
