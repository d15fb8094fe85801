import type { StoreName } from './schema.ts'
import type { WriteSteps } from './transaction.ts'

/** What an upgrade works with: the transaction in which the database is opened, so that it is done whole or not at all. */
export interface Upgrade {
  readonly steps: WriteSteps
  /** Tells, now and then, that it goes on. */
  readonly progress: () => void
  /** Visits every row of a store by its key; `undefined` stands for a value that can't be read. Then calls `done`. */
  readonly visitAll: (store: StoreName, visit: (key: IDBValidKey, value: unknown) => void, done: () => void) => void
}

/** Makes the data of a format of that of the one before, then calls `done`. The stores are there. */
export type UpgradeStep = (upgrade: Upgrade, done: () => void) => void
