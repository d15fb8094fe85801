import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { isControl } from '../../../domain/control.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import type { Line } from '../../../domain/line.ts'
import { lineOf, segmentOf } from '../../../domain/line.ts'
import { shownAmong } from '../../../domain/shown-among.ts'
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
 * The row that a reference names. Of several with one host id it is the newest; of copies the one that `line` shows, by
 * default the head's.
 */
export async function findTarget(
  backend: CoreBackend,
  rows: SessionRows,
  ref: EntryRef,
  line = lineOf(rows.cold, rows.hot.head)!,
): Promise<StoredEntry | undefined> {
  if ('order' in ref) return readRow(backend, rows, ref.branch, ref.order)
  const found = await findByMid(backend, rows, ref.mid)
  const areCopies = found.every((row) => importedMid(row) !== undefined)
  return found.findLast((row) => areCopies && segmentOf(line, row) >= 0) ?? found[0]
}

/**
 * The newest row with a host id that the transcript of a line shows.
 *
 * @param elsewhere - whether rows that only other lines show count too, if the line shows none
 */
export async function findShown(
  backend: CoreBackend,
  rows: SessionRows,
  mid: string,
  line: Line,
  elsewhere: boolean,
): Promise<StoredEntry | undefined> {
  const found = await findByMid(backend, rows, mid)
  const onLine = newestShown(line, found)
  if (onLine !== undefined || !elsewhere) return onLine
  for (const branch of new Set(found.map((row) => row.branch))) {
    const own = findLine(rows.cold, branch)
    const shown = own && newestShown(own, found)
    if (shown !== undefined) return shown
  }
  return undefined
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
