import { SessionError } from '../../contract/errors.ts'
import type { JobProgress, JobResult } from '../../contract/job.ts'
import type { MirrorState } from '../../contract/mirror.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { copyPath } from '../../whole-log/copy-path.ts'
import { diffCheckpoints } from '../../whole-log/diff-checkpoints.ts'
import type { StoreMode } from '../open-options.ts'
import type { OpenedStore, OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from '../worker/connect-worker.ts'
import { jobWording } from '../worker/job-wording.ts'
import { type JobWorker, startJobWorker } from '../worker/job-worker.ts'
import { jobWorkerLoaders } from '../worker/load-job-worker.ts'
import type { ClientTask } from './run-task.ts'

/** The store that a job works on. */
export interface JobStore {
  /** Name of the database. */
  readonly name: string
  readonly mode: StoreMode
  readonly store: SessionStore
  /** Part of the page entry, because bundlers look for workers there. */
  readonly makeWorker: () => WorkerLike
  readonly mirror?: MirrorState | undefined
  readonly attempt: Pick<OpeningAttempt, 'encryption'>
  readonly receive?: OpenedStore['receive']
  readonly fold?: OpenedStore['fold']
  readonly relock?: OpenedStore['relock']
  readonly changeEncryption?: OpenedStore['changeEncryption']
}

/** How long a worker may take to start, as for the session worker. */
const startMs = 4000

/**
 * Runs a job where it disturbs least: in a worker of its own if the store is in a worker, otherwise in the page, in
 * small steps.
 */
export async function runJob<T extends ClientTask>(
  jobStore: JobStore,
  task: T,
  signal: AbortSignal | undefined,
  onProgress: (progress: JobProgress) => void,
): Promise<JobResult<T>> {
  const worker = await findWorker(jobStore, signal)
  if (signal?.aborted) {
    worker?.end()
    throw new SessionError('Aborted', `The ${jobWording(task.kind)[0]} was cancelled.`)
  }
  if (worker !== undefined) await jobStore.fold?.()
  const options = { onProgress, ...(signal === undefined ? {} : { signal }) }
  const result = (await (worker === undefined
    ? runHere(jobStore, task, options)
    : worker.run(task, signal, onProgress))) as JobResult<T>
  if (task.kind === 'changeEncryption' && task.to !== undefined) {
    // A restarted worker must open the store with the new key.
    jobStore.attempt.encryption = task.to ?? undefined
    if (task.to !== null) jobStore.relock?.(task.to)
  }
  return result
}

interface RunOptions {
  readonly signal?: AbortSignal
  readonly onProgress: (progress: JobProgress) => void
}

/** Does the work in the page, which loads the code for it. */
async function runHere(
  { store, mode, changeEncryption }: JobStore,
  task: ClientTask,
  options: RunOptions,
): Promise<JobResult> {
  switch (task.kind) {
    case 'verifyStore':
    case 'repairStore':
    case 'reclaimStore':
      return (await import('../../storage/check-store.ts'))[task.kind](store, {
        ...options,
        key: task.key,
        isRemote: mode.endsWith('worker'),
      })
    case 'importFiles': {
      const { importSource } = await import('../../files/import-source.ts')
      return importSource(store, task.files, { ...options, dryRun: task.dryRun, format: task.format, key: task.key })
    }
    case 'exportFiles': {
      const { exportFiles } = await import('../../files/export-files.ts')
      return exportFiles(store, task.format, {
        ...options,
        ...(task.keys === undefined ? {} : { keys: task.keys }),
        as: task.as,
      })
    }
    case 'copyPath':
      await copyPath(store, task.key, task.leaf, task.into, { ...options, isDrawn: task.isDrawn })
      return undefined
    case 'diffCheckpoints':
      return diffCheckpoints(store, task.key, task.from, task.to, options)
    case 'changeEncryption':
      if (changeEncryption === undefined)
        throw new SessionError(
          'InvalidInput',
          'Only a store that is in a database and was opened with `encryption` can change it. Open it with `encryption`.',
        )
      return changeEncryption({ ...options, ...task })
    default:
      task satisfies never
      throw new SessionError('InvalidInput', `There is no job of kind ${JSON.stringify((task as ClientTask).kind)}.`)
  }
}

/** A worker of the same kind as the store's; `undefined` if none can be started. */
async function findWorker(
  { name, mode, makeWorker, mirror, attempt, receive }: JobStore,
  signal: AbortSignal | undefined,
): Promise<JobWorker | undefined> {
  for (const load of jobWorkerLoaders({ name, mode, attempt }, makeWorker)) {
    if (signal?.aborted) return undefined
    try {
      return await startJobWorker({
        worker: (await load())(),
        name,
        timeoutMs: startMs,
        mirror: mirror?.isOn ?? false,
        encryption: attempt.encryption,
        signal,
        onChanges: receive,
      })
    } catch {
      // Blocked, missing or broken: the next candidate needs less.
    }
  }
  return undefined
}
