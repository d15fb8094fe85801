import type { ChangeSink } from '../../contract/change.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import type { StoreHelpers, StoreJobs } from './worker-store.ts'

/** Loads what does the jobs of a store when the first job is asked for. @returns `run` and `close` */
export function lazyJobs(
  attempt: OpeningAttempt,
  loadHelpers: () => Promise<StoreHelpers>,
  onChange: ChangeSink,
): [run: StoreJobs['run'], close: () => Promise<void>] {
  let jobs: Promise<StoreJobs> | undefined
  return [
    async (method, args) => {
      jobs ??= loadHelpers().then(
        (helpers) => helpers.openJobs(attempt, onChange),
        (error: unknown) => {
          // What failed to load once may load the next time.
          jobs = undefined
          throw error
        },
      )
      return (await jobs).run(method, args)
    },
    // Callers whose jobs could not be loaded have been given the error.
    async () => (await jobs?.catch(() => undefined))?.close(),
  ]
}
