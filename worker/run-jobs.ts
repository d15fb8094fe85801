import { SessionError } from '../src/contract/errors.ts'
import type { JobProgress, JobReply, JobResult, JobTask } from '../src/contract/job.ts'
import { exportAgently } from '../src/dialects/agently/format/export-agently.ts'
import { exportFiles } from '../src/files/export-files.ts'
import { importAgently } from '../src/dialects/agently/format/import-agently.ts'
import { importFiles } from '../src/files/import-files.ts'
import { importPi } from '../src/dialects/pi/format/import-pi.ts'
import { importPicoClaw } from '../src/dialects/picoclaw/format/import-picoclaw.ts'
import { compactStore, repairStore, verifyStore } from '../src/storage/check-store.ts'
import type { FullStore } from './open-full-store.ts'
import { toWireError } from './wire-error.ts'

/** How often a page hears of progress. */
const progressMs = 50

/** What jobs work on. */
export type JobPlace = Omit<FullStore, 'epoch'>

export interface Jobs {
  start(id: number, task: JobTask): void
  /** Ends a job, whether it runs or waits. */
  cancel(id: number): void
}

/** Runs jobs over a store, one at a time and in the order they came. Each ends in one `done` or `error`. */
export function runJobs(place: JobPlace, answer: (reply: JobReply) => void): Jobs {
  const endings = new Map<number, AbortController>()
  let last: Promise<void> = Promise.resolve()

  async function settle(id: number, task: JobTask, signal: AbortSignal): Promise<void> {
    try {
      const result = await runTask(place, task, signal, rarely((progress) => answer({ keepsession: 'progress', id, progress })))
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

async function runTask({ store, keepMirror, mendSession, changeEncryption }: JobPlace, task: JobTask, signal: AbortSignal, onProgress: (progress: JobProgress) => void): Promise<JobResult> {
  switch (task.kind) {
    case 'importJsonl':
      return importPi(store, task.blob.stream(), { totalBytes: task.blob.size, signal, onProgress })
    case 'importPicoClaw':
      return importPicoClaw(store, task.files, { signal, onProgress })
    case 'importFiles':
      return importFiles(store, task.files, { dryRun: task.dryRun, signal, onProgress })
    case 'exportFiles':
      return exportFiles(store, task.format, { ...(task.keys === undefined ? {} : { keys: task.keys }), as: task.as, signal, onProgress })
    case 'importAgently':
      return importAgently(store, task.blob.stream(), { ...(task.key === undefined ? {} : { key: task.key }), totalBytes: task.blob.size, signal, onProgress })
    case 'exportAgently':
      return exportAgently(store, task.key, { as: task.as, signal, onProgress })
    case 'verifyStore':
      return verifyStore(store, { key: task.key, signal, onProgress })
    case 'repairStore':
      return repairStore(store, { key: task.key, signal, onProgress, takeBack: async () => keepMirror?.({ signal }) })
    case 'compactStore':
      return compactStore(store, { key: task.key, signal, onProgress })
    case 'keepMirror':
      return keepMirror?.({ signal, damaged: task.damaged })
    case 'mendSession':
      return mendSession?.(task.key)
    case 'changeEncryption':
      if (changeEncryption === undefined) throw new SessionError('InvalidInput', 'This store is plain. Close it and open it with `encryption`: what is in it is sealed then.')
      return changeEncryption({ ...task, signal, onProgress })
    default:
      task satisfies never
      throw new SessionError('InvalidInput', `This worker knows no job of kind ${JSON.stringify((task as JobTask).kind)}. Page and worker are of different releases: serve both from one.`)
  }
}

/** Passes on the first progress, and then no more than one each {@link progressMs}. */
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
