import type { JobResult, JobTask } from '../../contract/job.ts'
import type { CopyOptions } from '../branches/branch-types.ts'

/** Jobs that an app can start. */
export type ClientTask = Exclude<JobTask, { readonly kind: 'keepMirror' | 'repairRows' }>

/** Runs a job, in a worker of its own where the store is in one. */
export type RunTask = <T extends ClientTask>(
  task: T,
  options: Pick<CopyOptions, 'signal' | 'onProgress'>,
) => Promise<JobResult<T>>
