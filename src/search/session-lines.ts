import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import { importedMid } from '../domain/imported-mid.ts'
import { isBranchDeleted, type Line, lineOf } from '../domain/line.ts'
import { shownAmong } from '../domain/shown-among.ts'
import type { SearchSource } from './search-source.ts'

/** Every line of a session that a person can open, the head first. */
export function sessionLines({ hot, cold }: SessionRows): readonly Line[] {
  const others = ['', ...Object.keys(cold.branches)].filter(
    (branch) => branch !== hot.head && !isBranchDeleted(cold, branch),
  )
  return [hot.head, ...others].map((branch) => lineOf(cold, branch)).filter((line) => line !== undefined)
}

/** A row as a transcript shows it, and the line of that transcript. */
export interface ShownRow {
  readonly line: Line
  readonly row: StoredEntry
}

/**
 * Decides which rows a transcript shows: that of the head, of the line they were written to, or of another line. It
 * shows one of several copies.
 */
export async function showRows(
  source: Pick<SearchSource, 'findByMid'>,
  { hot, cold }: SessionRows,
  lines: readonly Line[],
  rows: readonly StoredEntry[],
): Promise<(row: StoredEntry) => ShownRow | undefined> {
  const mids = cold.hasCopies === true ? rows.flatMap((row) => importedMid(row) ?? []) : []
  const copies = mids.length === 0 ? [] : await source.findByMid(hot.session, mids)
  const views = lines.map((line) => ({ line, of: shownAmong(line, copies) }))
  return (stored) => {
    const own = views.find(({ line }) => line.branch === stored.branch)
    for (const view of [...views.slice(0, 1), ...(own === undefined ? [] : [own]), ...views.slice(1)]) {
      const { transcript, row } = view.of(stored)
      if (transcript) return { line: view.line, row }
    }
    return undefined
  }
}
