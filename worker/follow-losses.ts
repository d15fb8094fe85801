import type { LossListener } from '../src/storage/indexeddb/database-source.ts'
import type { Announcer } from './announce-changes.ts'

export interface Losses {
  readonly onLost: LossListener
  /** Whether the connection to the database was lost once. */
  readonly wasLost: () => boolean
}

/**
 * Follows the losses of a database connection. If the connection does not come back, this notifies the page, which can
 * open the database in other ways.
 */
export function followLosses({ lose }: Pick<Announcer, 'lose'>): Losses {
  let wasLost = false
  return {
    onLost: (reason, isFinal) => {
      wasLost = true
      if (isFinal) lose(reason)
    },
    wasLost: () => wasLost,
  }
}
