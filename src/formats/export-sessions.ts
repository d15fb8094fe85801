import { SessionError } from '../contract/errors.ts'
import type { SourceFile } from '../contract/job.ts'
import type { SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { Breather } from '../pacing/breather.ts'
import { abortError } from './byte-source.ts'
import { createExportBreather } from './export-breather.ts'
import { exportedKeys } from './exported-keys.ts'
import { zipFiles } from './zip-files.ts'

/** The progress of an export. */
export interface ExportProgress {
  readonly sessions: number
  readonly totalSessions: number
  /** Bytes of the files so far, before they are packed. */
  readonly bytes: number
}

export interface ExportOptions {
  /** Keys or aliases of sessions that are not deleted. Default: all of them. */
  readonly keys?: readonly string[]
  /** Default `files`: each file as soon as it is written. `zip`: one archive with all files. */
  readonly as?: 'files' | 'zip'
  readonly signal?: AbortSignal
  /** Called after each session. */
  readonly onProgress?: (progress: ExportProgress) => void
}

export type ExportStore = Pick<SessionStore, 'getMeta' | 'resolveSessionKey' | 'listSessions'>

/** Writes the files of one session. The pauses of `breathe` reject with Aborted when the export is cancelled. */
export type SessionWriter = (meta: SessionMeta, breathe: Breather) => AsyncIterable<SourceFile>

/**
 * Exports sessions one after the other, in the order of their keys, so that the same sessions give the same files.
 *
 * @param zipPath - name of the archive
 * @param finish - writes files after the sessions, such as an index
 * @throws SessionNotFound for a requested key; Aborted
 */
export async function* exportSessions(
  store: ExportStore,
  options: ExportOptions,
  zipPath: string,
  write: SessionWriter,
  finish?: () => AsyncIterable<SourceFile>,
): AsyncGenerator<SourceFile, void, undefined> {
  const files = writeFiles(store, options, write, finish)
  if (options.as === 'zip') yield { path: zipPath, blob: await zipFiles(files, options.signal) }
  else yield* files
}

async function* writeFiles(
  store: ExportStore,
  { keys: asked, signal, onProgress }: ExportOptions,
  write: SessionWriter,
  finish: (() => AsyncIterable<SourceFile>) | undefined,
): AsyncGenerator<SourceFile, void, undefined> {
  const breathe = createExportBreather(signal)
  const keys = (await exportedKeys(store, asked)).toSorted((a, b) => (a < b ? -1 : 1))
  let bytes = 0
  for (const [i, key] of keys.entries()) {
    if (signal?.aborted) throw abortError('export')
    const meta = await store.getMeta(key)
    if (meta === undefined || meta.deletedAt !== undefined) {
      // Deleted since the list was read.
      if (asked === undefined) continue
      throw new SessionError(
        'SessionNotFound',
        `There is no session "${key}" to export. See listSessions() for the existing sessions.`,
      )
    }
    for await (const file of write(meta, breathe)) {
      if (signal?.aborted) throw abortError('export')
      bytes += file.blob.size
      yield file
    }
    onProgress?.({ sessions: i + 1, totalSessions: keys.length, bytes })
  }
  if (finish !== undefined) yield* finish()
}
