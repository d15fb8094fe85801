import type { ImportReport, SourceFile } from '../contract/job.ts'
import { importAgently } from '../dialects/agently/format/import-agently.ts'
import { importAixgo } from '../dialects/aixgo/format/import-aixgo.ts'
import { importAiPanel } from '../dialects/chat/format/import-ai-panel.ts'
import { importPicoClaw } from '../dialects/picoclaw/format/import-picoclaw.ts'
import { pushAll } from '../domain/push-all.ts'
import type { Dialect } from '../formats/dialect.ts'
import type { ImportFilesStore } from '../formats/dry-store.ts'
import { isFileError } from '../formats/is-file-error.ts'
import { restoreArchive } from '../formats/restore-archive.ts'
import { createSkippedLines } from '../formats/skipped-lines.ts'
import type { ImportDirectoryOptions, WantedFile } from '../formats/wanted-file.ts'

/** Imports the files that are of a dialect. */
export type ImportDirectory = (
  store: ImportFilesStore,
  files: readonly WantedFile[],
  options: ImportDirectoryOptions,
) => Promise<ImportReport>

/**
 * Importers of dialects whose files belong together, and of those that read a file as a whole. Another one: a line
 * here, and in `dialect.ts` how its files are told.
 */
export const directoryImporters: ReadonlyMap<Dialect, ImportDirectory> = new Map<Dialect, ImportDirectory>([
  // Its importer goes by names, which tie logs to metadata, and through archives itself.
  [
    'picoclaw',
    (store, files, { signal }) => importPicoClaw(store, sourcesOf(files), signal === undefined ? {} : { signal }),
  ],
  ['ai-panel', importAiPanel],
  ['aixgo', importAixgo],
  [
    'agently',
    (store, files, options) =>
      eachByItself(
        files.map(({ file }) => file),
        ({ read }) => importAgently(store, read(options.signal, options.onRead ?? (() => {})), options),
      ),
  ],
  [
    'keepsession',
    (store, files, options) => eachByItself(sourcesOf(files), ({ blob }) => restoreArchive(store, blob, options)),
  ],
])

/** The files of the source that they are or lie in, archives as a whole and told by their names. */
function sourcesOf(wanted: readonly WantedFile[]): readonly SourceFile[] {
  const files = new Map<Blob, SourceFile>()
  for (const {
    file: { source, kind },
  } of wanted) {
    files.set(
      source.blob,
      kind === 'zip' && source.path !== '' && !/\.zip$/i.test(source.path)
        ? { ...source, path: `${source.path}.zip` }
        : source,
    )
  }
  return [...files.values()]
}

/** Imports files of which each has everything. One that can't be read is reported, and costs only itself. */
async function eachByItself<T extends { readonly path: string }>(
  files: readonly T[],
  importOne: (file: T) => Promise<ImportReport>,
): Promise<ImportReport> {
  const skipped = createSkippedLines()
  const keys: string[] = []
  let [added, known] = [0, 0]
  for (const file of files) {
    const report = await importOne(file).catch((error: unknown) => {
      if (isFileError(error)) skipped.addError(error, file.path)
      else if (error instanceof TypeError) skipped.add(0, error.message, file.path)
      else throw error
    })
    if (report === undefined) continue
    pushAll(keys, report.keys)
    added += report.added
    known += report.known
    skipped.adopt(report, file.path)
  }
  return { keys: [...new Set(keys)], added, known, ...skipped.report() }
}
