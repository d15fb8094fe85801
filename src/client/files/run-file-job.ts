import { SessionError } from '../../contract/errors.ts'
import type { JobProgress, JobResult, JobTask } from '../../contract/job.ts'
import type { MirrorState } from '../../contract/mirror.ts'
import type { SessionStore } from '../../contract/store.ts'
import type { OpenedStore, OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from '../worker/connect-worker.ts'
import { jobWorkerLoaders } from '../worker/load-job-worker.ts'
import { startJobWorker, type JobWorker } from '../worker/job-worker.ts'
import type { StoreMode } from '../types.ts'

/** Where files go to, or come from. */
export interface FilePlace {
  /** Of the database. */
  readonly name: string
  readonly mode: StoreMode
  readonly store: SessionStore
  /** Made by what a page loads at once, because bundlers look for workers there. */
  readonly makeWorker: () => WorkerLike
  readonly mirror?: MirrorState | undefined
  readonly attempt: Pick<OpeningAttempt, 'encryption'>
  readonly hear?: OpenedStore['hear']
  readonly changeEncryption?: OpenedStore['changeEncryption']
}

/** Work on files, or on all that is stored. */
export type FileTask = Exclude<JobTask, { readonly kind: 'keepMirror' | 'mendSession' }>

/** How long a worker may take to start, as for the session worker. */
const startMs = 4000

/** Imports or exports where that disturbs least. */
export async function runFileJob<T extends FileTask>(place: FilePlace, task: T, signal: AbortSignal | undefined, onProgress: (progress: JobProgress) => void): Promise<JobResult<T>> {
  const worker = await findWorker(place, signal)
  if (signal?.aborted) {
    worker?.end()
    throw new SessionError('Aborted', `${task.kind} was cancelled.`)
  }
  const options = { onProgress, ...(signal === undefined ? {} : { signal }) }
  const result = (await (worker === undefined ? runHere(place, task, options) : worker.run(task, signal, onProgress))) as JobResult<T>
  // A worker that is started again opens the store as it is from now on.
  if (task.kind === 'changeEncryption' && task.to !== undefined) place.attempt.encryption = task.to ?? undefined
  return result
}

interface RunOptions {
  readonly signal?: AbortSignal
  readonly onProgress: (progress: JobProgress) => void
}

/** Does the work in the page, which loads what it needs for that. */
async function runHere({ store, mode, changeEncryption }: FilePlace, task: FileTask, options: RunOptions): Promise<JobResult> {
  switch (task.kind) {
    case 'importJsonl': {
      const { importPi } = await import('../../dialects/pi/format/import-pi.ts')
      return importPi(store, task.blob.stream(), { ...options, totalBytes: task.blob.size })
    }
    case 'verifyStore':
    case 'repairStore':
    case 'compactStore':
      return (await import('../../storage/check-store.ts'))[task.kind](store, { ...options, key: task.key, isRemote: mode.endsWith('worker') })
    case 'importPicoClaw': {
      const { importPicoClaw } = await import('../../dialects/picoclaw/format/import-picoclaw.ts')
      return importPicoClaw(store, task.files, options)
    }
    case 'importFiles': {
      const { importFiles } = await import('../../files/import-files.ts')
      return importFiles(store, task.files, { ...options, dryRun: task.dryRun })
    }
    case 'exportFiles': {
      const { exportFiles } = await import('../../files/export-files.ts')
      return exportFiles(store, task.format, { ...options, ...(task.keys === undefined ? {} : { keys: task.keys }), as: task.as })
    }
    case 'importAgently': {
      const { importAgently } = await import('../../dialects/agently/format/import-agently.ts')
      return importAgently(store, task.blob.stream(), { ...options, ...(task.key === undefined ? {} : { key: task.key }), totalBytes: task.blob.size })
    }
    case 'exportAgently': {
      const { exportAgently } = await import('../../dialects/agently/format/export-agently.ts')
      return exportAgently(store, task.key, { ...options, as: task.as })
    }
    case 'changeEncryption':
      if (changeEncryption === undefined) throw new SessionError('InvalidInput', 'Only the encryption of a store that was opened with one, in a database, can be changed. Open it with `encryption`.')
      return changeEncryption({ ...options, ...task })
    default:
      task satisfies never
      throw new SessionError('InvalidInput', `There is no job of kind ${JSON.stringify((task as FileTask).kind)}.`)
  }
}

/** A worker of the same kind as the store's; `undefined` when there is none to be had. */
async function findWorker({ name, mode, makeWorker, mirror, attempt, hear }: FilePlace, signal: AbortSignal | undefined): Promise<JobWorker | undefined> {
  for (const load of jobWorkerLoaders({ name, mode, attempt }, makeWorker)) {
    if (signal?.aborted) return undefined
    try {
      return await startJobWorker({ worker: (await load())(), name, timeoutMs: startMs, mirror: mirror?.isOn ?? false, encryption: attempt.encryption, signal, onChanges: hear })
    } catch {
      // Blocked, missing or broken: the next way needs less.
    }
  }
  return undefined
}
