import type { Entry } from '../contract/entry.ts'
import type { StoredEntry } from '../contract/rows.ts'
import { importedMid } from './imported-mid.ts'

/** Which views of a line show a row. */
export interface Shown {
  readonly raw: boolean
  readonly transcript: boolean
  readonly context: boolean
}

/** The same, and the row as they show it. */
export type ShownRow<Row> = Shown & { readonly row: Row }

/**
 * Makes imported rows with one id one row of a line (design §3), where several writers brought them: the first in order of those that stand on
 * it, cut or not, with the latest edit of any. What a summary tells of one, a model is not told again.
 *
 * @param rows - every row that those asked for may be a copy of, themselves too
 * @param shownIn - which views show a row, were there no copies
 */
export function shownAmong<Row extends Entry & Pick<StoredEntry, 'edit'>>(rows: Iterable<Row>, shownIn: (row: Row) => Shown): (row: Row) => ShownRow<Row> {
  const copies = new Map<string, Row[]>()
  for (const row of rows) {
    const mid = importedMid(row)
    if (mid === undefined || !shownIn(row).raw) continue
    const others = copies.get(mid)
    if (others === undefined) copies.set(mid, [row])
    else others.push(row)
  }
  const joined = new Map<string, ShownRow<Row>>()
  for (const [mid, list] of copies) if (list.some(({ w }) => w !== list[0]!.w)) joined.set(mid, join(list, shownIn))
  return (row) => {
    const shown = shownIn(row)
    const one = joined.get(importedMid(row) ?? '')
    if (one === undefined || !shown.raw) return { ...shown, row }
    return row.order === one.row.order ? one : { raw: true, transcript: false, context: false, row }
  }
}

function join<Row extends Pick<StoredEntry, 'order' | 'edit'>>(copies: readonly Row[], shownIn: (row: Row) => Shown): ShownRow<Row> {
  const edited = copies.reduce((a, b) => ((b.edit?.order ?? '') > (a.edit?.order ?? '') ? b : a))
  const rows = copies.map((row) => (edited.edit === undefined ? row : { ...row, edit: edited.edit }))
  const row = rows.reduce((a, b) => (b.order < a.order ? b : a))
  const { transcript, context } = shownIn(row)
  const isTold = rows.map(shownIn).some((copy) => copy.transcript && !copy.context)
  return { raw: true, transcript, context: context && !isTold, row }
}
