import type { SeenState } from '../contract/rows.ts'

/** What the line of a branch had seen up to an order. */
export interface SeenMark {
  readonly branch: string
  readonly order: string
  readonly seen: SeenState
  /** Identifies the cuts that hid parts of the line. */
  readonly place: number
}
