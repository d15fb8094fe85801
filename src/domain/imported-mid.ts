import type { Entry } from '../contract/entry.ts'
import type { ColdRow } from '../contract/rows.ts'
import { isControl } from './control.ts'

/**
 * Imports count their clocks from 1 ms, which no device's clock shows any more. Up to this limit there is room for 2^38
 * entries.
 */
export const importsEnd = 2 ** 20

/**
 * `importsEnd` as the start of an order. It sorts after all imported rows: no turn starts later than a row in it.
 * Entries that are written here in an imported turn sort before it too.
 */
export const importsOrder = '----3---'

/** Whether rows after an order may be copies of each other, or of rows before it. */
export function hasCopiesAfter({ hasCopies }: ColdRow, order: string): boolean {
  return hasCopies === true && order < importsOrder
}

/**
 * The id that an imported row had in its source; `undefined` for other rows. Devices that import different states of a
 * file store its rows under different writers, so that these rows are copies of each other once the devices sync. Rows
 * that are written here may repeat an id on purpose.
 */
export function importedMid({
  type,
  clock,
  data: { mid },
}: Pick<Entry, 'type' | 'clock' | 'data'>): string | undefined {
  return clock.hp < importsEnd && typeof mid === 'string' && !isControl(type) ? mid : undefined
}
