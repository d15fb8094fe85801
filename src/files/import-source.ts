import { SessionError } from '../contract/errors.ts'
import type { FilesReport, ImportFormat, ImportReport, JobProgress, SourceFile } from '../contract/job.ts'
import { importAgently } from '../dialects/agently/format/import-agently.ts'
import { importPi } from '../dialects/pi/format/import-pi.ts'
import { importPicoClaw } from '../dialects/picoclaw/format/import-picoclaw.ts'
import { createDryStore, type ImportFilesStore } from '../formats/dry-store.ts'
import { importFiles } from './import-files.ts'

export interface ImportSourceOptions {
  /** Writes nothing, and reports what would be taken. */
  readonly dryRun?: boolean
  /** What the source is. Default: recognised by content, or `agently` where a `key` is given. */
  readonly format?: ImportFormat | undefined
  /** The session that the state of an AgentlyMemoSession is loaded into. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/**
 * Imports files of a format that is named, or whatever their content says they are.
 *
 * @throws InvalidInput, TooLarge or VersionConflict when nothing can be imported; SessionNotFound (a deleted `key`);
 *   TypeError when the file of an AgentlyMemoSession holds no object; Aborted
 */
export async function importSource(
  store: ImportFilesStore,
  files: readonly SourceFile[],
  { dryRun = false, format, key, ...options }: ImportSourceOptions = {},
): Promise<FilesReport> {
  const chosen = format ?? (key === undefined ? undefined : 'agently')
  if (chosen === undefined) return importFiles(store, files, { ...options, dryRun })
  if (key !== undefined && chosen !== 'agently') {
    throw new SessionError(
      'InvalidInput',
      `A key goes with the format "agently" only, got "${chosen}". Leave out the key.`,
    )
  }
  const target = dryRun ? createDryStore(store) : store
  switch (chosen) {
    case 'pi': {
      const blob = onlyFile(files, chosen)
      return asFilesReport(await importPi(target, blob.stream(), { ...options, totalBytes: blob.size }), chosen)
    }
    case 'picoclaw':
      return asFilesReport(await importPicoClaw(target, files, options), chosen)
    case 'agently': {
      const blob = onlyFile(files, chosen)
      const into = key === undefined ? {} : { key }
      return asFilesReport(
        await importAgently(target, blob.stream(), { ...options, ...into, totalBytes: blob.size }),
        chosen,
      )
    }
    default:
      chosen satisfies never
      throw new SessionError(
        'InvalidInput',
        `format must be "pi", "picoclaw" or "agently", got ${JSON.stringify(chosen)}.`,
      )
  }
}

function onlyFile(files: readonly SourceFile[], format: ImportFormat): Blob {
  const [file, ...others] = files
  if (file !== undefined && others.length === 0) return file.blob
  throw new SessionError(
    'InvalidInput',
    `The format "${format}" is read from one file, got ${files.length}. Import them one by one.`,
  )
}

const asFilesReport = (report: ImportReport, dialect: ImportFormat): FilesReport => ({
  ...report,
  sessions: report.keys.map((key) => ({ key, dialect })),
})
