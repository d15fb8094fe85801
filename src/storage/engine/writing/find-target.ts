import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { ColdRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { isControl } from '../../../domain/control.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import type { Line } from '../../../domain/line.ts'
import { lineOf, segmentOf } from '../../../domain/line.ts'
import { shownAmong } from '../../../domain/shown-among.ts'
import { shownIn } from '../../../domain/shown-in.ts'
import { findLine } from '../reading/open-line.ts'
import { readRow } from '../reading/session-reader.ts'

/** @throws InvalidInput */
export function checkRef(target: unknown): EntryRef {
  const { branch, order, mid } = (target ?? {}) as { branch?: unknown; order?: unknown; mid?: unknown }
  if (typeof branch === 'string' && typeof order === 'string') return { branch, order }
  if (typeof mid === 'string') return { mid }
  throw new SessionError(
    'InvalidInput',
    'An entry reference must be { branch, order } or { mid }. Pass an entry that read() gave.',
  )
}

/**
 * The row that a reference names. Of several with one host id it is the newest that the transcript of `line` shows, by
 * default the head's; where that shows none, the newest of all, which may be a removed one.
 */
export async function findTarget(
  backend: CoreBackend,
  rows: SessionRows,
  ref: EntryRef,
  line = lineOf(rows.cold, rows.hot.head)!,
): Promise<StoredEntry | undefined> {
  if ('order' in ref) return readRow(backend, rows, ref.branch, ref.order)
  const found = await findByMid(backend, rows, ref.mid)
  const shown = newestShown(line, found)
  if (shown !== undefined) return shown
  const areCopies = found.every((row) => importedMid(row) !== undefined)
  return found.findLast((row) => areCopies && segmentOf(line, row) >= 0) ?? found[0]
}

/**
 * The newest row with a host id that the transcript of a line shows.
 *
 * @param elsewhere - whether rows that only other lines show count too, if the line shows none
 * @param type - of the row; default: any
 */
export async function findShown(
  backend: CoreBackend,
  rows: SessionRows,
  mid: string,
  line: Line,
  elsewhere: boolean,
  type?: string,
): Promise<StoredEntry | undefined> {
  const found = (await findByMid(backend, rows, mid)).filter((row) => type === undefined || row.type === type)
  const onLine = newestShown(line, found)
  if (onLine !== undefined || !elsewhere) return onLine
  for (const branch of new Set(found.map((row) => row.branch))) {
    const own = findLine(rows.cold, branch)
    const shown = own && newestShown(own, found)
    if (shown !== undefined) return shown
  }
  return undefined
}

/** Whether the transcript of a line shows a row, or that of the row's own line. */
export function isShown(cold: ColdRow, row: StoredEntry, line: Line): boolean {
  if (shownIn(line, row).transcript) return true
  const own = findLine(cold, row.branch)
  return own !== undefined && shownIn(own, row).transcript
}

function newestShown(line: Line, found: readonly StoredEntry[]): StoredEntry | undefined {
  return found.map(shownAmong(line, found)).find(({ transcript }) => transcript)?.row
}

/** Newest first. */
async function findByMid(backend: CoreBackend, rows: SessionRows, mid: string): Promise<readonly StoredEntry[]> {
  return (await backend.findByMid(rows.hot.session, [mid]))
    .filter((row) => !isControl(row.type))
    .sort((a, b) => (a.order < b.order ? 1 : -1))
}
