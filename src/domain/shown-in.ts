import type { Entry } from '../contract/entry.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { Line } from './line.ts'
import { isCompacted, isCut, segmentOf } from './line.ts'

/** An entry of a line, with its winning edit. */
export type EditedRow = Entry & Pick<StoredEntry, 'edit'>

/** Which views of a line show a row. */
export interface Shown {
  readonly raw: boolean
  readonly transcript: boolean
  readonly context: boolean
}

/** The views of a line that show a row, assuming that it is no copy of another (`shownAmong`). */
export function shownIn(line: Line, row: EditedRow): Shown {
  const segment = segmentOf(line, row)
  const transcript = segment >= 0 && row.edit?.value !== null && !isCut(line, segment, row)
  return { raw: segment >= 0, transcript, context: transcript && !isCompacted(line, segment, row) }
}
