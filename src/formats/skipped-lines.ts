import type { SessionError } from '../contract/errors.ts'
import type { SkippedLine } from '../contract/job.ts'

/** Lines that are listed; the rest are counted. */
const listedLines = 1000

/** Lines of a file that could not be taken. */
export interface SkippedLines {
  readonly count: number
  /** @param file - where a source has several */
  add(line: number, reason: string, file?: string): void
  /** Takes notice of what an error kept out as a whole. */
  addError(error: SessionError, file?: string): void
  /** Takes over what another report lists. @param path - of the file, where that doesn't say */
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
