import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows, ViewState } from '../../../contract/rows.ts'
import type { Line } from '../../../domain/line.ts'
import { shownIn } from '../../../domain/shown-in.ts'
import { createViewCounter } from '../../../domain/view-state.ts'
import { storedLanes } from './lane-source.ts'
import { walkLine } from './walk-line.ts'

export type ShownView = 'transcript' | 'context'

/** The counts of a view of a line. For the head they are known, for other lines they are counted by sums. */
export async function countView(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  view: ShownView,
): Promise<ViewState> {
  if (line.branch === rows.hot.head) return rows.hot[view]
  const counter = createViewCounter()
  await walkLine(storedLanes(backend, rows), line, '', {
    row: (row) => {
      const shown = shownIn(line, row)
      if (shown.raw) counter.add(row, shown[view])
    },
    needsRows: () => false,
    block: (block, shown) => {
      if (shown.raw) counter.addBlock(block, shown[view])
    },
  })
  return counter.view()
}
