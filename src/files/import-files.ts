import type { SessionError } from '../contract/errors.ts'
import type { FilesReport, ImportedSession, ImportReport, JobProgress, SourceFile } from '../contract/job.ts'
import { importPi } from '../dialects/pi/format/import-pi.ts'
import { abortError } from '../formats/byte-source.ts'
import { isConversationDialect } from '../formats/conversation/conversation.ts'
import { createDryStore, type ImportFilesStore } from '../formats/dry-store.ts'
import { importConversations } from '../formats/import-conversations.ts'
import { isFileError } from '../formats/is-file-error.ts'
import { createSkippedLines } from '../formats/skipped-lines.ts'
import type { WantedFile } from '../formats/wanted-file.ts'
import { createBreather } from '../pacing/breather.ts'
import { directoryImporters } from './import-directory.ts'
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
 * Claude Code and pi, Open WebUI, ShareGPT, OpenAI messages, AgentlyMemoSession's JSON, directories of PicoClaw,
 * ai-panel and Aixgo, archives of this package; plain, in zip archives or in gzip. Each file is looked at first and
 * told by its content; one that is damaged as a whole is left out before anything of it was stored. Then each
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
  const skipped = createSkippedLines()
  const sessions: ImportedSession[] = []
  let [readBytes, totalBytes, added, known, unlisted] = [0, 0, 0, 0, 0]
  const report = (): void =>
    onProgress?.({
      readBytes: Math.min(readBytes, totalBytes),
      totalBytes,
      entries: added + known,
      skipped: skipped.count + unlisted,
    })
  const onRead = (bytes: number): void => {
    readBytes += bytes
    report()
  }
  const named = (path: string): string | undefined => (path === '' ? undefined : path)
  const skip = (path: string, reason: string, line = 0): void => skipped.add(line, reason, named(path))
  const leaveOut = (path: string, error: SessionError): void => skipped.addError(error, named(path))
  const take = (counts: { readonly added: number; readonly known: number }): void => {
    added += counts.added
    known += counts.known
    report()
  }
  const adopt = (report: ImportReport, path: string, session: Omit<ImportedSession, 'key'>): void => {
    for (const key of report.keys) sessions.push({ key, ...session })
    skipped.adopt(report.skipped, path)
    unlisted += report.skippedCount - report.skipped.length
    take(report)
  }

  async function read({ file, dialect, form }: WantedFile): Promise<void> {
    if (dialect === 'pi') {
      const report = await importPi(target, file.read(signal, onRead), signal === undefined ? {} : { signal })
      adopt(report, file.path, { dialect, ...fileOf(file.path), added: report.added, known: report.known })
    }
    if (isConversationDialect(dialect))
      await importConversations(file, {
        store: target,
        dialect,
        form,
        breathe,
        signal,
        onRead,
        skip: (line, reason) => skip(file.path, reason, line),
        leaveOut: (error) => leaveOut(file.path, error),
        onTaken: (taken) => {
          sessions.push({ ...taken, ...fileOf(file.path) })
          take(taken)
        },
      })
  }

  const sources = source instanceof Blob ? [{ path: '', blob: source }] : source
  const wanted = await surveySource(sources, {
    breathe,
    signal,
    onRead,
    skip,
    leaveOut,
    onListed: (bytes) => void (totalBytes = 2 * bytes),
  })
  let damage: SessionError | undefined
  for (const one of wanted) {
    try {
      await read(one)
    } catch (error) {
      if (!isFileError(error)) throw error
      damage ??= error
      leaveOut(one.file.path, error)
    }
    if (signal?.aborted) throw abortError()
  }
  for (const [dialect, importDirectory] of directoryImporters) {
    const files = wanted.filter((one) => one.dialect === dialect)
    if (files.length === 0) continue
    const report = await importDirectory(target, files, { onRead, ...(signal === undefined ? {} : { signal }) }).catch(
      (error: unknown) => {
        if (!isFileError(error)) throw error
        damage ??= error
        for (const { file } of files) leaveOut(file.path, error)
      },
    )
    if (report === undefined) continue
    // Of an archive it has seen everything, and what others took is none of its business.
    const others = new Set(wanted.filter((one) => one.dialect !== dialect).map(({ file }) => unpackedPath(file)))
    const own = report.skipped.filter(({ file = '' }) => !others.has(file))
    adopt({ ...report, skipped: own, skippedCount: report.skippedCount - report.skipped.length + own.length }, '', {
      dialect,
    })
  }
  if (damage !== undefined && sessions.length === 0) throw damage
  readBytes = totalBytes
  report()
  return {
    keys: [...new Set(sessions.map(({ key }) => key))],
    added,
    known,
    skipped: skipped.list(),
    skippedCount: skipped.count + unlisted,
    sessions,
  }
}

const fileOf = (path: string): { readonly file?: string } => (path === '' ? {} : { file: path })

/** What a file of an archive is called by importers that go through archives themselves. */
function unpackedPath({ path, source }: WantedFile['file']): string {
  return path === source.path || source.path === ''
    ? path
    : `${source.path.replace(/\.zip$/i, '')}${path.slice(source.path.length)}`
}
