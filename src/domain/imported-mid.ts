import type { Entry } from '../contract/entry.ts'
import type { ColdRow } from '../contract/rows.ts'
import { isControl } from './control.ts'

/** Imports count their clocks up from 1 ms, where the clock of no device is any more. Up to here that is enough for 2^38 entries. */
export const importsEnd = 2 ** 20

/** `importsEnd` as orders begin with it. Sorts behind all imported rows: no turn begins later than a row in it. What is written here in an imported turn sorts before, too. */
export const importsOrder = '----3---'

/** Whether rows behind an order may be copies of each other, or of rows before it. */
export function hasCopiesAfter({ hasCopies }: ColdRow, order: string): boolean {
  return hasCopies === true && order < importsOrder
}

/**
 * The id that an imported row had where it comes from; `undefined` for all else. Devices that import different states of a file have its rows
 * from different writers, so that they are copies of each other when they meet. What is written here may have one id twice and mean it.
 */
export function importedMid({ type, clock, data: { mid } }: Pick<Entry, 'type' | 'clock' | 'data'>): string | undefined {
  return clock.hp < importsEnd && typeof mid === 'string' && !isControl(type) ? mid : undefined
}
