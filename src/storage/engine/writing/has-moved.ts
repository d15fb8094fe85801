import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { Line } from '../../../domain/line.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { readLineEnd, readRow } from '../reading/session-reader.ts'

/** The end of a line, as a caller that names its parent is compared with it. */
export interface LineEnds {
  /** The raw end. */
  readonly lineEnd: string
  /** The last entry that the line shows; `''`: it shows none, or its session is deleted. */
  readonly shownEnd: string
  /** The row the caller saw last. */
  readonly parent: StoredEntry | undefined
}

export const emptyLine: LineEnds = { lineEnd: '', shownEnd: '', parent: undefined }

/**
 * Whether a line has moved past the entry that a caller saw last. Entries after it that were removed or cut away don't
 * count: no caller sees them any more, so that nobody could ever name them. A parent that the line does not have is
 * never its end.
 */
export function hasMoved(parent: string, { lineEnd, shownEnd, parent: row }: LineEnds): boolean {
  return parent !== lineEnd && ((parent !== '' && row === undefined) || shownEnd > parent)
}

/** @param tail - what was read of the line's tail, unless the hot row knows it */
export async function readEnds(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  tail: LineTail | undefined,
  parent: string | undefined,
): Promise<LineEnds> {
  const { head, tail: known, deletedAt } = rows.hot
  const at =
    parent === undefined ? undefined : line.segments.find(({ after, upTo }) => after < parent && parent <= upTo)
  return {
    lineEnd: tail?.lineEnd ?? (await readLineEnd(backend, rows, line)),
    shownEnd: (deletedAt === undefined && (tail ?? (line.branch === head ? known : undefined))?.order) || '',
    parent: at && (await readRow(backend, rows, at.branch, parent!)),
  }
}
