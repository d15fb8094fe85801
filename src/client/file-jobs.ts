// What a page loads for files that come in or go out: one chunk, as none of it is needed before somebody asks.
import type { ImportReport } from '../contract/job.ts'
import type { SessionStore } from '../contract/store.ts'
import { createJob } from './create-job.ts'
import { runImport, type ImportPlace } from './run-import.ts'
import { filesOf } from './source-files.ts'
import type { ExportedFile, ImportOptions, Job, PicoClawExportOptions, PicoClawSource } from './types.ts'

/** What is to be imported, as the app handed it over. */
export type ImportInput = { readonly kind: 'importJsonl'; readonly blob: Blob } | { readonly kind: 'importPicoClaw'; readonly source: PicoClawSource }

/**
 * Imports files into the sessions of a client: in a worker of its own where the client's store lives in one, otherwise (and when that
 * worker can't be had) in the page, in small steps.
 *
 * @returns iterating it gives progress, the newest only; `result` rejects with InvalidInput (nothing that can be imported, or it can't be
 * read), VersionConflict, Aborted or WorkerLost
 */
export function startImport(place: ImportPlace, input: ImportInput, { signal }: ImportOptions = {}): Job<ImportReport> {
  return createJob(async (onProgress) => {
    const task = input.kind === 'importJsonl' ? input : { kind: input.kind, files: await filesOf(input.source, signal) }
    return runImport(place, task, signal, onProgress)
  })
}

/** Writes sessions as PicoClaw does. What does it is loaded at the first file. */
export async function* exportPicoClaw(store: SessionStore, options: PicoClawExportOptions | undefined): AsyncGenerator<ExportedFile, void, undefined> {
  const formats = await import('../formats/export-picoclaw.ts')
  yield* formats.exportPicoClaw(store, options)
}
