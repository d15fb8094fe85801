import type { JobProgress } from '../contract/job.ts'

/** A long piece of work: iterate it for progress, await `result` for the end. */
export interface Job<T> extends AsyncIterable<JobProgress> {
  readonly result: Promise<T>
}
