import type { SessionError } from '../contract/errors.ts'
import type { FilesReport, ImportedSession, ImportReport, JobProgress } from '../contract/job.ts'
import { createSkippedLines } from '../formats/skipped-lines.ts'

/** Counts what an import of files has read, stored and skipped, and reports its progress. */
export interface ImportTally {
  /** The bytes of all files together are known. Each of them is read twice: it is surveyed, then imported. */
  readonly onListed: (bytes: number) => void
  readonly onRead: (bytes: number) => void
  readonly skip: (path: string, reason: string, line?: number) => void
  /** A session was deleted here, and stays deleted. */
  readonly leaveDeleted: (key: string) => void
  /** A whole file can't be imported. */
  readonly leaveOut: (path: string, error: SessionError) => void
  readonly addSession: (session: ImportedSession & EntryCounts) => void
  /** Adds the report of an importer about a file, or `''` for files that the report itself names. */
  readonly addReport: (report: ImportReport, path: string, session: Omit<ImportedSession, 'key'>) => void
  /** Everything was read. @returns the result of the import */
  readonly end: () => FilesReport
  readonly hasSessions: () => boolean
}

interface EntryCounts {
  readonly added: number
  readonly known: number
}

export function createImportTally(onProgress: ((progress: JobProgress) => void) | undefined): ImportTally {
  const skipped = createSkippedLines()
  const sessions: ImportedSession[] = []
  let [readBytes, totalBytes, added, known] = [0, 0, 0, 0]
  const report = (): void =>
    onProgress?.({
      readBytes: Math.min(readBytes, totalBytes),
      totalBytes,
      entries: added + known,
      skipped: skipped.count,
    })
  const addEntries = (counts: EntryCounts): void => {
    added += counts.added
    known += counts.known
    report()
  }
  return {
    onListed: (bytes) => void (totalBytes = 2 * bytes),
    onRead: (bytes) => {
      readBytes += bytes
      report()
    },
    skip: (path, reason, line = 0) => skipped.add(line, reason, named(path)),
    leaveDeleted: skipped.addDeleted,
    leaveOut: (path, error) => skipped.addError(error, named(path)),
    addSession: (session) => {
      sessions.push(session)
      addEntries(session)
    },
    addReport: (report, path, session) => {
      for (const key of report.keys) sessions.push({ key, ...session })
      skipped.adopt(report, path)
      addEntries(report)
    },
    end: () => {
      readBytes = totalBytes
      report()
      return { keys: [...new Set(sessions.map(({ key }) => key))], added, known, ...skipped.report(), sessions }
    },
    hasSessions: () => sessions.length > 0,
  }
}

const named = (path: string): string | undefined => (path === '' ? undefined : path)
