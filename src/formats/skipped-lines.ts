import type { SessionError } from '../contract/errors.ts'
import type { SkippedLine } from '../contract/job.ts'

/** The maximum number of listed lines; all others are only counted. */
const listedLines = 1000

/** Lines and files that could not be imported. */
export interface SkippedLines {
  readonly count: number
  /** @param file - needed if a source has several files */
  add(line: number, reason: string, file?: string): void
  /** Adds a file or session that was left out as a whole because of an error. */
  addError(error: SessionError, file?: string): void
  /** Adds the lines of another report. @param path - the file, for lines without one */
  adopt(lines: readonly SkippedLine[], path: string): void
  /** The first of them, by file and line. */
  list(): readonly SkippedLine[]
}

export function createSkippedLines(): SkippedLines {
  const lines: SkippedLine[] = []
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
    adopt: (others, path) =>
      others.forEach((line) => push({ ...line, ...((line.file || path) === '' ? {} : { file: line.file || path }) })),
    list: () => lines.toSorted((a, b) => compareTexts(a.file ?? '', b.file ?? '') || a.line - b.line),
  }
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
