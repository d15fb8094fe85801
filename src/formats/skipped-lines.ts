import type { SkippedLine } from '../contract/job.ts'

/** Lines that are listed; the rest are counted. */
const listedLines = 1000

/** Lines of a file that could not be taken. */
export interface SkippedLines {
  readonly count: number
  /** @param file - where a source has several */
  add(line: number, reason: string, file?: string): void
  /** The first of them, by file and line. */
  list(): readonly SkippedLine[]
}

export function createSkippedLines(): SkippedLines {
  const lines: SkippedLine[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    add(line, reason, file) {
      count += 1
      if (lines.length < listedLines) lines.push({ line, reason, ...(file === undefined ? {} : { file }) })
    },
    list: () => lines.toSorted((a, b) => compareTexts(a.file ?? '', b.file ?? '') || a.line - b.line),
  }
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
