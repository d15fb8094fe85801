import type { SkippedLine } from '../contract/job.ts'

/** Lines that are listed; the rest are counted. */
const listedLines = 1000

/** Lines of a file that could not be taken. */
export interface SkippedLines {
  readonly count: number
  add(line: number, reason: string): void
  /** The first of them, by line. */
  list(): readonly SkippedLine[]
}

export function createSkippedLines(): SkippedLines {
  const lines: SkippedLine[] = []
  let count = 0
  return {
    get count() {
      return count
    },
    add(line, reason) {
      count += 1
      if (lines.length < listedLines) lines.push({ line, reason })
    },
    list: () => lines.toSorted((a, b) => a.line - b.line),
  }
}
