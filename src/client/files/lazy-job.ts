import type { Job } from '../job-handle.ts'

/** A job whose code is loaded when it is asked for. */
export function lazyJob<T>(load: () => Promise<Job<T>>): Job<T> {
  const loading = load()
  const result = loading.then((job) => job.result)
  return {
    result,
    async *[Symbol.asyncIterator]() {
      // An iteration reports the failure as well.
      result.catch(() => undefined)
      yield* await loading
    },
  }
}
