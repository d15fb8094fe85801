import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { blockSize } from '../../../domain/block-size.ts'
import type { Line } from '../../../domain/line.ts'
import { shownIn } from '../../../domain/shown-in.ts'
import { rowMessage } from '../../../domain/view-state.ts'
import { countView } from './count-view.ts'
import { storedLanes } from './lane-source.ts'
import { readNewestMessages, readPages } from './session-reader.ts'
import { walkLine } from './walk-line.ts'

/** The rows of a line's context between two orders, page by page. Hidden rows are skipped. */
export function contextPages(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  after: string,
  upTo: string,
): AsyncIterable<readonly StoredEntry[]> {
  const part = {
    ...line,
    segments: line.segments.map((segment) => (segment.upTo < upTo ? segment : { ...segment, upTo })),
  }
  return readPages(backend, rows, part, 'context', after)
}

/**
 * The last messages of a line's context that go, and the first that stays, newest first: the part that `planTruncation`
 * needs. When many stay, they are counted by sums.
 */
export async function readAround(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  keep: number,
): Promise<readonly StoredEntry[]> {
  // All copies of a row together decide which of them is shown.
  if (keep <= blockSize.rows || rows.cold.hasCopies === true)
    return (await readNewestMessages(backend, rows, line, 'context', keep + 1)).slice(Math.max(0, keep - 1))
  const first = (await countView(backend, rows, line, 'context')).messages - keep - 1
  const found: StoredEntry[] = []
  let at = 0
  await walkLine(storedLanes(backend, rows), line, '', {
    row: (row) => {
      if (!shownIn(line, row).context || rowMessage(row) === undefined) return
      if (at === first || at === first + 1) found.push(row)
      at += 1
    },
    needsRows: (block, shown) => shown.context && at <= first + 1 && first < at + block.messages,
    block: (block, shown) => {
      if (shown.context) at += block.messages
    },
  })
  return first < 0 ? [] : found.reverse()
}
