import type { RangeResult } from '../../../contract/backend.ts'

/** How far a read has come, unreadable records included. */
export function edgeOf({ entries, unreadable }: RangeResult, isBackward: boolean): string | undefined {
  const orders = [entries.at(isBackward ? 0 : -1)?.order, ...unreadable].filter((order) => order !== undefined)
  return orders.length === 0 ? undefined : orders.reduce((a, b) => (a < b === isBackward ? a : b))
}
