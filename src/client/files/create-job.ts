import type { JobProgress } from '../../contract/job.ts'
import type { Job } from '../job-handle.ts'

/**
 * Starts work that reports its progress. Iterating yields the newest progress; an iteration ends, or fails, with the
 * work.
 */
export function createJob<T>(run: (onProgress: (progress: JobProgress) => void) => Promise<T>): Job<T> {
  let latest: JobProgress | undefined
  let isDone = false
  let wake: () => void = () => undefined
  let next = new Promise<void>((resolve) => (wake = resolve))
  const notify = (): void => {
    wake()
    next = new Promise<void>((resolve) => (wake = resolve))
  }

  const result = run((progress) => {
    latest = progress
    notify()
  }).finally(() => {
    isDone = true
    notify()
  })

  async function* iterate(): AsyncGenerator<JobProgress, void, undefined> {
    // An iteration reports the failure as well.
    result.catch(() => undefined)
    for (let seen: JobProgress | undefined; ; ) {
      if (latest !== undefined && latest !== seen) yield (seen = latest)
      else if (isDone) return void (await result)
      else await next
    }
  }

  return { result, [Symbol.asyncIterator]: iterate }
}
