import type { SessionError } from '../contract/errors.ts'
import type { FilesReport, ImportReport, JobProgress, SourceFile } from '../contract/job.ts'
import { importPi } from '../dialects/pi/format/import-pi.ts'
import { abortError } from '../formats/byte-source.ts'
import { isConversationDialect } from '../formats/conversation/conversation.ts'
import type { Dialect } from '../formats/dialect.ts'
import { createDryStore, type ImportFilesStore } from '../formats/dry-store.ts'
import { importConversations } from '../formats/import-conversations.ts'
import { isFileError } from '../formats/is-file-error.ts'
import type { WantedFile } from '../formats/wanted-file.ts'
import { type Breather, createBreather } from '../pacing/breather.ts'
import { directoryImporters } from './import-directory.ts'
import { createImportTally, type ImportTally } from './import-tally.ts'
import { surveySource } from './survey-source.ts'

export interface ImportFilesOptions {
  readonly signal?: AbortSignal
  /** Called after each piece of a file, and after each session. Every file counts twice: it is looked at, then read. */
  readonly onProgress?: (progress: JobProgress) => void
  /** Writes nothing, and reports what would be taken. */
  readonly dryRun?: boolean
}

/**
 * Imports what other apps exported, whatever it is called: exports of ChatGPT and Claude.ai (JSON or zip), logs of
 * Claude Code and pi, Open WebUI, ShareGPT, messages of OpenAI and the AI SDK, AgentlyMemoSession's JSON, directories of
 * PicoClaw, ai-panel and Aixgo, archives of this package; plain, in zip archives or in gzip. Each file is looked at
 * first and told by its content; one that is damaged as a whole is left out before anything of it was stored. Then each
 * conversation is read and stored by itself, so that memory stays bounded.
 *
 * The same again adds nothing, what grew adds what is new, on every device alike. What can't be taken is skipped and
 * reported with its place. `keys` and `sessions` name the sessions that are here after it, those that were known
 * included.
 *
 * @param source - one file, or several with their paths
 * @throws InvalidInput, TooLarge, VersionConflict when nothing here can be imported, saying what was found, and nothing
 *   is written; Aborted: a session that was being stored is gone again if it was not there before, those before it
 *   stay, and another import adds the others
 */
export async function importFiles(
  store: ImportFilesStore,
  source: Blob | readonly SourceFile[],
  options: ImportFilesOptions = {},
): Promise<FilesReport> {
  const { signal, onProgress, dryRun = false } = options
  const target = dryRun ? createDryStore(store) : store
  const breathe = createBreather()
  const tally = createImportTally(onProgress)
  const sources = source instanceof Blob ? [{ path: '', blob: source }] : source
  const wanted = await surveySource(sources, { breathe, signal, ...tally })
  let damage: SessionError | undefined
  for (const one of wanted) {
    try {
      await importFile(target, one, { breathe, signal, tally })
    } catch (error) {
      if (!isFileError(error)) throw error
      damage ??= error
      tally.leaveOut(one.file.path, error)
    }
    if (signal?.aborted) throw abortError()
  }
  for (const [dialect, importDirectory] of directoryImporters) {
    const files = wanted.filter((one) => one.dialect === dialect)
    if (files.length === 0) continue
    try {
      const report = await importDirectory(target, files, {
        onRead: tally.onRead,
        ...(signal === undefined ? {} : { signal }),
      })
      tally.addReport(withoutFilesOfOthers(report, wanted, dialect), '', { dialect })
    } catch (error) {
      if (!isFileError(error)) throw error
      damage ??= error
      for (const { file } of files) tally.leaveOut(file.path, error)
    }
  }
  if (damage !== undefined && !tally.hasSessions()) throw damage
  return tally.end()
}

interface FileImport {
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  readonly tally: ImportTally
}

/** Imports a file that stands for itself; those of directories and archives are left to {@link directoryImporters}. */
async function importFile(
  store: ImportFilesStore,
  wanted: WantedFile,
  { breathe, signal, tally }: FileImport,
): Promise<void> {
  const { file, dialect, form } = wanted
  const { path } = file
  const ofFile = path === '' ? {} : { file: path }
  if (dialect === 'pi') {
    const report = await importPi(store, file.read(signal, tally.onRead), signal === undefined ? {} : { signal })
    tally.addReport(report, path, { dialect, ...ofFile, added: report.added, known: report.known })
  }
  if (isConversationDialect(dialect))
    await importConversations(file, {
      store,
      dialect,
      form,
      breathe,
      signal,
      onRead: tally.onRead,
      skip: (line, reason) => tally.skip(path, reason, line),
      leaveOut: (error) => tally.leaveOut(path, error),
      leaveDeleted: tally.leaveDeleted,
      onTaken: (taken) => tally.addSession({ ...taken, ...ofFile }),
    })
}

/**
 * The report of an importer that read all of an archive, without what it skipped because other importers are
 * responsible for it.
 */
function withoutFilesOfOthers(report: ImportReport, wanted: readonly WantedFile[], dialect: Dialect): ImportReport {
  const others = new Set(wanted.filter((one) => one.dialect !== dialect).map(({ file }) => unpackedPath(file)))
  const skipped = report.skipped.filter(({ file = '' }) => !others.has(file))
  return { ...report, skipped, skippedCount: report.skippedCount - report.skipped.length + skipped.length }
}

/** What a file of an archive is called by importers that go through archives themselves. */
function unpackedPath({ path, source }: WantedFile['file']): string {
  return path === source.path || source.path === ''
    ? path
    : `${source.path.replace(/\.zip$/i, '')}${path.slice(source.path.length)}`
}
