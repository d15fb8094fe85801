import type { StoreName } from './schema.ts'
import type { WriteSteps } from './transaction.ts'

/**
 * The parts of an upgrade. It runs in the transaction that opens the database, so that it happens completely or not at
 * all.
 */
export interface Upgrade {
  readonly steps: WriteSteps
  /** Reports now and then that it is still running. */
  readonly progress: () => void
  /** Visits every row of a store by its key; `undefined` for a value that can't be read. Then calls `done`. */
  readonly visitAll: (store: StoreName, visit: (key: IDBValidKey, value: unknown) => void, done: () => void) => void
}

/** Converts the data of the format before, then calls `done`. The stores exist already. */
export type UpgradeStep = (upgrade: Upgrade, done: () => void) => void
