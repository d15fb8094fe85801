import { SessionError } from '../src/contract/errors.ts'
import type { JobProgress, JobReply, JobResult, JobTask } from '../src/contract/job.ts'
import { exportFiles } from '../src/files/export-files.ts'
import { importSource } from '../src/files/import-source.ts'
import { reclaimStore, repairStore, verifyStore } from '../src/storage/check-store.ts'
import { copyPath } from '../src/whole-log/copy-path.ts'
import { diffCheckpoints } from '../src/whole-log/diff-checkpoints.ts'
import type { FullStore } from './open-full-store.ts'
import { toWireError } from './wire-error.ts'

/** How often progress is reported to a page. */
const progressMs = 50

/** The store that jobs work on. */
export type JobTarget = Omit<FullStore, 'epoch'>

export interface Jobs {
  start(id: number, task: JobTask): void
  /** Cancels a job, whether it runs or waits. */
  cancel(id: number): void
}

/** Runs jobs over a store, one at a time and in the order they came. Each ends in one `done` or `error`. */
export function runJobs(target: JobTarget, answer: (reply: JobReply) => void): Jobs {
  const endings = new Map<number, AbortController>()
  let last: Promise<void> = Promise.resolve()

  async function settle(id: number, task: JobTask, signal: AbortSignal): Promise<void> {
    try {
      const result = await runTask(
        target,
        task,
        signal,
        rarely((progress) => answer({ keepsession: 'progress', id, progress })),
      )
      answer({ keepsession: 'done', id, result })
    } catch (error) {
      answer({ keepsession: 'error', id, error: toWireError(error) })
    }
    endings.delete(id)
  }

  return {
    start(id, task) {
      const ending = new AbortController()
      endings.set(id, ending)
      last = last.then(() => settle(id, task, ending.signal))
    },
    cancel: (id) => endings.get(id)?.abort(),
  }
}

async function runTask(
  { store, keepMirror, repairRows, changeEncryption }: JobTarget,
  task: JobTask,
  signal: AbortSignal,
  onProgress: (progress: JobProgress) => void,
): Promise<JobResult> {
  switch (task.kind) {
    case 'importFiles':
      return importSource(store, task.files, {
        dryRun: task.dryRun,
        format: task.format,
        key: task.key,
        signal,
        onProgress,
      })
    case 'exportFiles':
      return exportFiles(store, task.format, {
        ...(task.keys === undefined ? {} : { keys: task.keys }),
        as: task.as,
        signal,
        onProgress,
      })
    case 'verifyStore':
      return verifyStore(store, { key: task.key, signal, onProgress })
    case 'repairStore':
      return repairStore(store, { key: task.key, signal, onProgress, takeBack: async () => keepMirror?.({ signal }) })
    case 'reclaimStore':
      return reclaimStore(store, { key: task.key, signal, onProgress })
    case 'keepMirror':
      return keepMirror?.({ signal, damaged: task.damaged })
    case 'repairRows':
      return repairRows?.(task.key)
    case 'copyPath':
      return copyPath(store, task.key, task.leaf, task.into, { isDrawn: task.isDrawn, signal, onProgress }).then(
        () => undefined,
      )
    case 'diffCheckpoints':
      return diffCheckpoints(store, task.key, task.from, task.to, { signal, onProgress })
    case 'changeEncryption':
      if (changeEncryption === undefined)
        throw new SessionError(
          'InvalidInput',
          'This store is plain. Close it and open it with `encryption`, which encrypts its content.',
        )
      return changeEncryption({ ...task, signal, onProgress })
    default:
      task satisfies never
      throw new SessionError(
        'InvalidInput',
        `This worker knows no job of kind ${JSON.stringify((task as JobTask).kind)}. Page and worker are of different releases: serve both from one.`,
      )
  }
}

/** Passes on the first progress, and then at most one each {@link progressMs}. */
function rarely(pass: (progress: JobProgress) => void): (progress: JobProgress) => void {
  let since = Number.NEGATIVE_INFINITY
  return (progress) => {
    const isEnd = progress.readBytes === progress.totalBytes
    const now = performance.now()
    if (now - since < progressMs && !isEnd) return
    since = now
    pass(progress)
  }
}
