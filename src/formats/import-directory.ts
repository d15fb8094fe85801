import type { ImportReport, SourceFile } from '../contract/job.ts'
import type { Dialect } from './dialect.ts'
import type { ImportFilesStore } from './dry-store.ts'
import { isFileError } from './is-file-error.ts'
import { importAgently } from './import-agently.ts'
import { importAiPanel } from './import-ai-panel.ts'
import { importAixgo } from './import-aixgo.ts'
import { importPicoClaw } from './import-picoclaw.ts'
import { createSkippedLines } from './skipped-lines.ts'
import { restoreArchive } from './restore-archive.ts'

export type ImportDirectory = (store: ImportFilesStore, files: readonly SourceFile[], options: { readonly signal?: AbortSignal }) => Promise<ImportReport>

/**
 * Importers of dialects whose files belong together and go by their names, and of those that read a file as a whole. Another one: a line
 * here, and in `dialect.ts` how its files are told.
 */
export const directoryImporters: ReadonlyMap<Dialect, ImportDirectory> = new Map<Dialect, ImportDirectory>([
  ['picoclaw', importPicoClaw],
  ['ai-panel', importAiPanel],
  ['aixgo', importAixgo],
  ['agently', eachByItself((store, { blob }, options) => importAgently(store, blob.stream(), options))],
  ['keepsession', eachByItself((store, { blob }, options) => restoreArchive(store, blob, options))],
])

/** Imports files of which each has everything. One that can't be read is reported, and costs only itself. */
function eachByItself(importOne: (store: ImportFilesStore, file: SourceFile, options: { readonly signal?: AbortSignal }) => Promise<ImportReport>): ImportDirectory {
  return async (store, files, options) => {
    const skipped = createSkippedLines()
    const keys: string[] = []
    let [added, known, unlisted] = [0, 0, 0]
    for (const file of files) {
      const report = await importOne(store, file, options).catch((error: unknown) => {
        if (!isFileError(error) && !(error instanceof TypeError)) throw error
        skipped.add(0, error.message, file.path)
      })
      if (report === undefined) continue
      keys.push(...report.keys)
      added += report.added
      known += report.known
      unlisted += report.skippedCount - report.skipped.length
      for (const { line, reason, file: path = file.path } of report.skipped) skipped.add(line, reason, path)
    }
    return { keys: [...new Set(keys)], added, known, skipped: skipped.list(), skippedCount: skipped.count + unlisted }
  }
}
