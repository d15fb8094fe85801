import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { OwnEntries, View } from '../../../contract/store/session-log.ts'
import type { Line } from '../../../domain/line.ts'
import { shownIn } from '../../../domain/shown-in.ts'
import { rowMessage } from '../../../domain/view-state.ts'
import { storedLanes } from './lane-source.ts'
import { readPages } from './session-reader.ts'
import { walkLine } from './walk-line.ts'

/** Counts the rows of a line's last branch itself, by sums, so that the cost hardly grows with it. */
export async function countOwn(backend: CoreBackend, rows: SessionRows, line: Line, view: View): Promise<OwnEntries> {
  const { branch, after } = line.segments.at(-1)!
  let messages = 0
  let newest = 0
  const count = (row: StoredEntry): void => {
    newest = Math.max(newest, row.at)
    if (rowMessage(row) !== undefined) messages += 1
  }
  if (rows.cold.hasCopies === true) {
    for await (const page of readPages(backend, rows, line, view, after))
      for (const row of page) if (row.branch === branch) count(row)
    return { messages, newest }
  }
  await walkLine(storedLanes(backend, rows), line, after, {
    row: (row) => {
      if (shownIn(line, row)[view]) count(row)
    },
    needsRows: () => false,
    block: (block, shown) => {
      if (!shown[view] || block.shown === 0) return
      messages += block.messages
      newest = Math.max(newest, block.at)
    },
  })
  return { messages, newest }
}
