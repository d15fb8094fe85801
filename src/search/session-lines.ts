import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import { isBranchDeleted, lineOf, type Line } from '../domain/line.ts'
import { shownIn } from '../domain/shown-in.ts'

/** Every line of a session that a person can come to, the head first. */
export function sessionLines({ hot, cold }: SessionRows): readonly Line[] {
  const others = ['', ...Object.keys(cold.branches)].filter((branch) => branch !== hot.head && !isBranchDeleted(cold, branch))
  return [hot.head, ...others].map((branch) => lineOf(cold, branch)).filter((line) => line !== undefined)
}

/** A line whose transcript shows a row: the head's, the one it was written to, or another. */
export function lineShowing(lines: readonly Line[], row: StoredEntry): Line | undefined {
  const [head] = lines
  if (head !== undefined && shownIn(head, row).transcript) return head
  const own = lines.find(({ branch }) => branch === row.branch)
  if (own !== undefined && shownIn(own, row).transcript) return own
  return lines.find((line) => shownIn(line, row).transcript)
}
