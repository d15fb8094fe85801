import type { Message } from '../contract/message.ts'
import type { StoredEntry, ViewState } from '../contract/rows.ts'
import type { BlockSum } from '../contract/sums.ts'
import { tokensOf } from './tokens-of.ts'

/**
 * The maximum number of rows below the floor that are remembered singly: they are in the hot row, which every commit
 * writes.
 */
const lateLimit = 8

export const emptyView: ViewState = { floor: '', late: [], messages: 0, tokens: 0 }

/** The fields of a row that decide its current content. */
type RowContent = Pick<StoredEntry, 'type' | 'data' | 'edit'>

/** The current message of a row; `undefined` for other types and removed rows. */
export function rowMessage(row: RowContent): Message | undefined {
  if (row.type !== 'message') return undefined
  const data = row.edit === undefined ? row.data : row.edit.value
  return data?.['message'] as Message | undefined
}

/** Counts a row's message, or removes it from the count. */
export function countRow(view: ViewState, row: RowContent, times: 1 | -1): ViewState {
  const message = rowMessage(row)
  if (message === undefined) return view
  const { floor, late, messages, tokens } = view
  return { floor, late, messages: messages + times, tokens: tokens + times * tokensOf(message) }
}

/** Counts the messages of a block, or removes them from the count. */
export function countBlock({ floor, late, messages, tokens }: ViewState, block: BlockSum, times: 1 | -1): ViewState {
  return { floor, late, messages: messages + times * block.messages, tokens: tokens + times * block.tokens }
}

/** A row of the line became visible. */
export function showRow(view: ViewState, row: StoredEntry): ViewState {
  const counted = countRow(view, row, 1)
  if (row.order > view.floor) return counted
  const late = [...view.late, row.order].sort()
  // With too many, the floor falls to the last row that is remembered.
  return late.length <= lateLimit
    ? { ...counted, late }
    : { ...counted, floor: late[lateLimit - 1]!, late: late.slice(0, lateLimit) }
}

/** A visible row became hidden. */
export function hideRow(view: ViewState, row: StoredEntry): ViewState {
  const counted = countRow(view, row, -1)
  return row.order > view.floor ? counted : { ...counted, late: view.late.filter((order) => order !== row.order) }
}

/** Everything up to here is hidden now. The counts are wrong until the rest is counted again. */
export function raiseFloor(view: ViewState, floor: string): ViewState {
  return { ...view, floor: floor > view.floor ? floor : view.floor, late: view.late.filter((order) => order > floor) }
}

/** Nothing after this order is left on the line. */
export function lowerFloor(view: ViewState, end: string): ViewState {
  return view.floor <= end ? view : { ...view, floor: end, late: view.late.filter((order) => order <= end) }
}

/** Makes a view of rows and blocks. Of a block, all rows are hidden, or none except removed ones. */
export interface ViewCounter {
  readonly add: (row: StoredEntry, isShown: boolean) => void
  readonly addBlock: (block: BlockSum, isShown: boolean) => void
  readonly view: () => ViewState
}

/**
 * Makes a view from one pass over a line in ascending order. The floor is placed on a hidden row below which more is
 * hidden than visible, so that skipping that part saves time for a page.
 */
export function createViewCounter(): ViewCounter {
  let view = emptyView
  let hidden = 0
  const shown: string[] = []
  let hasMore = false
  const hide = (rows: number, last: string): void => {
    hidden += rows
    if (!hasMore && shown.length < hidden) view = { ...view, floor: last, late: [...shown] }
  }
  return {
    add: (row, isShown) => {
      if (!isShown) return hide(1, row.order)
      view = countRow(view, row, 1)
      if (shown.length < lateLimit) shown.push(row.order)
      else hasMore = true
    },
    addBlock: (block, isShown) => {
      if (!isShown || block.shown === 0) return hide(block.rows, block.last)
      view = countBlock(view, block, 1)
      hasMore = true
    },
    view: () => view,
  }
}
