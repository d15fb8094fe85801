import type { StoredEntry } from '../../../src/contract/rows.ts'
import { emptyView } from '../../../src/domain/view-state.ts'
import type { Device } from './device.ts'
import { readView } from './device.ts'

export interface PageQuery {
  readonly branch: string
  readonly view: 'transcript' | 'context'
  /** Exactly one of them: the page ends before, or begins after, this order. */
  readonly before?: string
  readonly after?: string
  readonly limit: number
}

/**
 * One page, read as a store would: on the head line nothing below the floor is looked at but for the rows that are
 * listed as late.
 */
export function readPage(device: Device, { branch, view, before = '~', after = '', limit }: PageQuery): StoredEntry[] {
  const { hot } = device.rows
  const { floor, late } = branch === hot.head ? hot[view] : emptyView
  const visible = readView(device, branch, view).filter(
    ({ order }) => after < order && order < before && (order > floor || late.includes(order)),
  )
  return after === '' ? visible.slice(-limit) : visible.slice(0, limit)
}
