import type { SessionError } from '../contract/errors.ts'
import type { ImportReport, SkippedLine } from '../contract/job.ts'

/** The maximum number of listed lines; all others are only counted. */
const listedLines = 1000

/** What could not be imported: lines, files, and sessions that were deleted here. */
export interface SkippedLines {
  /** Without deleted sessions. */
  readonly count: number
  /** @param file - needed if a source has several files */
  add(line: number, reason: string, file?: string): void
  /** Adds a file or session that was left out as a whole because of an error. */
  addError(error: SessionError, file?: string): void
  /** A session was deleted here, and stays deleted. */
  addDeleted(key: string): void
  /** Adds what another report skipped. @param path - the file, for lines without one */
  adopt(report: Reported, path: string): void
  /** The lines by file and line. */
  report(): Reported
}

type Reported = Pick<ImportReport, 'skipped' | 'skippedCount' | 'leftDeleted'>

export function createSkippedLines(): SkippedLines {
  const lines: SkippedLine[] = []
  const deleted = new Set<string>()
  let count = 0
  const push = (line: SkippedLine): void => {
    count += 1
    if (lines.length < listedLines) lines.push(line)
  }
  return {
    get count() {
      return count
    },
    add: (line, reason, file) => push({ line, reason, ...(file === undefined ? {} : { file }) }),
    addError: ({ name, message }, file) =>
      push({ line: 0, reason: message, ...(file === undefined ? {} : { file }), error: name }),
    addDeleted: (key) => void deleted.add(key),
    adopt: ({ skipped, skippedCount, leftDeleted }, path) => {
      for (const line of skipped) push({ ...line, ...((line.file || path) === '' ? {} : { file: line.file || path }) })
      count += skippedCount - skipped.length
      for (const key of leftDeleted) deleted.add(key)
    },
    report: () => ({
      skipped: lines.toSorted((a, b) => compareTexts(a.file ?? '', b.file ?? '') || a.line - b.line),
      skippedCount: count,
      leftDeleted: [...deleted],
    }),
  }
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
