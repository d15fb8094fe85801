// What a page loads for files that come in or go out: one chunk, as none of it is needed before somebody asks.
import type { JobResult } from '../../contract/job.ts'
import type { SessionStore } from '../../contract/store.ts'
import { createJob } from './create-job.ts'
import { type FilePlace, type FileTask, runFileJob } from './run-file-job.ts'
import { filesOf } from './source-files.ts'
import type { ExportedFile, ImportOptions, Job, PicoClawExportOptions, SessionClient } from '../types.ts'

/** Methods of a client that are jobs with files. */
export type FileJobName = FileTask['kind']

type Given<Name extends FileJobName> = Parameters<SessionClient[Name]>

/** Makes the task of what a method was given. */
const tasks: { readonly [Name in FileJobName]: (signal: AbortSignal | undefined, ...given: Given<Name>) => Promise<FileTask> | FileTask } = {
  importJsonl: (_, blob) => ({ kind: 'importJsonl', blob: aBlob(blob, 'importJsonl') }),
  importPicoClaw: async (signal, source) => ({ kind: 'importPicoClaw', files: await filesOf(source, signal) }),
  importFiles: async (signal, source, { dryRun = false } = {}) => ({ kind: 'importFiles', files: await filesOf(source, signal), dryRun }),
  importAgently: (_, blob, { key } = {}) => ({ kind: 'importAgently', blob: aBlob(blob, 'importAgently'), key }),
  exportAgently: (_, key, { as = 'json' } = {}) => ({ kind: 'exportAgently', key, as }),
  changeEncryption: (_, to, { rotate = false } = {}) => ({ kind: 'changeEncryption', to, rotate }),
  verifyStore: (_, { key } = {}) => ({ kind: 'verifyStore', key }),
  repairStore: (_, { key } = {}) => ({ kind: 'repairStore', key }),
  compactStore: (_, { key } = {}) => ({ kind: 'compactStore', key }),
  exportFiles: (_, format, { keys, as = 'files' } = {}) => ({ kind: 'exportFiles', format, keys, as }),
}

/** Where each method takes its options: those of a check come first, as there is nothing else to give. */
const optionsOf = {
  importJsonl: 1, importPicoClaw: 1, importFiles: 1, importAgently: 1, exportAgently: 1, changeEncryption: 1, verifyStore: 0, repairStore: 0, compactStore: 0, exportFiles: 1,
} as const satisfies { readonly [Name in FileJobName]: OptionsPlace<Given<Name>> }

/** The place of the last argument. */
type OptionsPlace<Args extends readonly unknown[]> = Required<Args> extends readonly [...infer Others, unknown] ? Others['length'] : never

/**
 * Imports files into the sessions of a client, or exports them: in a worker of its own where the client's store lives in one, otherwise (and
 * when that worker can't be had) in the page, in small steps.
 *
 * @param given - what the client's method of this name was given; the last may be its options
 * @returns iterating it gives progress, the newest only; `result` rejects with InvalidInput (nothing that can be imported, or it can't be
 * read), TypeError (no file at all), VersionConflict, Aborted or WorkerLost
 */
export function startFileJob(place: FilePlace, name: FileJobName, given: readonly unknown[]): Job<JobResult> {
  const { signal } = (given[optionsOf[name]] ?? {}) as ImportOptions
  return createJob(async (onProgress) => {
    const make = tasks[name] as (signal: AbortSignal | undefined, ...given: readonly unknown[]) => Promise<FileTask> | FileTask
    return runFileJob(place, await make(signal, ...given), signal, onProgress) // bounded: a method's parameters
  })
}

function aBlob(given: Blob, name: FileJobName): Blob {
  if (typeof (given as Partial<Blob> | undefined)?.stream === 'function') return given
  throw new TypeError(`${name} takes a Blob or File.`)
}

/** Writes sessions as PicoClaw does. What does it is loaded at the first file. */
export async function* exportPicoClaw(store: SessionStore, options: PicoClawExportOptions | undefined): AsyncGenerator<ExportedFile, void, undefined> {
  const formats = await import('../../dialects/picoclaw/format/export-picoclaw.ts')
  yield* formats.exportPicoClaw(store, options)
}
