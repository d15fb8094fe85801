// What a page loads for files that come in or go out: one chunk, as none of it is needed before somebody asks.
import type { JobResult, JobTask } from '../contract/job.ts'
import type { SessionStore } from '../contract/store.ts'
import { createJob } from './create-job.ts'
import { type FilePlace, runFileJob } from './run-file-job.ts'
import { filesOf } from './source-files.ts'
import type { ExportedFile, FilesSource, Job, PicoClawExportOptions } from './types.ts'

/** What is to be done, as the app handed it over. */
export type FileWork =
  | Exclude<JobTask, { readonly kind: 'importPicoClaw' | 'importFiles' }>
  | { readonly kind: 'importPicoClaw'; readonly source: FilesSource }
  | { readonly kind: 'importFiles'; readonly source: FilesSource; readonly dryRun: boolean }

/** What it ends with. */
export type FileResult<T extends FileWork> = JobResult<Extract<JobTask, { readonly kind: T['kind'] }>>

/**
 * Imports files into the sessions of a client, or exports them: in a worker of its own where the client's store lives in one, otherwise (and
 * when that worker can't be had) in the page, in small steps.
 *
 * @returns iterating it gives progress, the newest only; `result` rejects with InvalidInput (nothing that can be imported, or it can't be
 * read), VersionConflict, Aborted or WorkerLost
 */
export function startFileJob<T extends FileWork>(place: FilePlace, work: T, signal?: AbortSignal): Job<FileResult<T>> {
  return createJob(async (onProgress) => {
    const { source, ...rest } = work as Extract<FileWork, { readonly source: FilesSource }>
    const task = (source === undefined ? work : { ...rest, files: await filesOf(source, signal) }) as JobTask
    return (await runFileJob(place, task, signal, onProgress)) as FileResult<T>
  })
}

/** Writes sessions as PicoClaw does. What does it is loaded at the first file. */
export async function* exportPicoClaw(store: SessionStore, options: PicoClawExportOptions | undefined): AsyncGenerator<ExportedFile, void, undefined> {
  const formats = await import('../formats/export-picoclaw.ts')
  yield* formats.exportPicoClaw(store, options)
}
