import type { MadeContent, OperationRow } from '../../../contract/operation-row.ts'
import type { ColdRow, StoredEntry } from '../../../contract/rows.ts'
import { isControl } from '../../../domain/control.ts'
import { orderEnd } from '../../../domain/order.ts'
import { covers } from '../../../domain/version-vector.ts'
import type { CalledOperation } from './input.ts'

/**
 * The content that an operation made, from the rows that it added. It is a line entry if there is one, because the
 * others may only prepare the place for it. A delete and an undelete have no content: they must not be done again,
 * whatever happened to the session since.
 */
export function madeBy(rows: readonly StoredEntry[]): MadeContent | undefined {
  const row =
    rows.find(({ type }) => !isControl(type)) ?? rows.find(({ type }) => type !== 'delete' && type !== 'undelete')
  if (row === undefined) return undefined
  const { w, s, order, branch } = row
  return isControl(row.type) ? { w, s, order } : { w, s, order, branch }
}

/**
 * Whether the content of an operation is gone, so that the operation no longer counts as done: its session is deleted,
 * was restarted since, or its line was emptied. The content itself decides, not the time when it was stored: another
 * device's delete hides only what it had seen, and an undelete restores the operation together with the content.
 */
export function isContentGone(cold: ColdRow, made: MadeContent | undefined): boolean {
  if (made === undefined) return false
  const { w, s, order, branch } = made
  const { deletion, cuts, fields } = cold
  if (deletion?.deleted === true && covers(deletion.vv, w, s)) return true
  const isEmptied = (line: string): boolean =>
    cuts.some((cut) => cut.branch === line && cut.order === orderEnd && covers(cut.vv, w, s))
  if (branch !== undefined && isEmptied(branch)) return true
  return order < (fields['restartedAt']?.[0] ?? '') && isEmptied('')
}

/**
 * Whether a call is the stored one, sent again by the page that made it. A page draws ids for its calls without one.
 */
export function isSameCall(operation: CalledOperation | undefined, stored: OperationRow): boolean {
  return operation?.call !== undefined && operation.call === (stored.call ?? stored.id)
}
