import type { Job, JobProgress } from '../../src/index.ts'

/** The result of a job, with its progress on the way. */
export async function endedJob<T>(job: Job<T>, onProgress: (progress: JobProgress) => void): Promise<T> {
  // Where it breaks off, the result says why.
  const watching = (async () => {
    for await (const progress of job) onProgress(progress)
  })().catch(() => undefined)
  try {
    return await job.result
  } finally {
    await watching
  }
}
