import { foreignError, lossOf, newerError } from './open-database.ts'
import { nativeVersion } from './schema.ts'

/** A factory for Dexie that keeps it from what we do not want, and sees what it does not show. */
export interface WatchedFactory {
  readonly factory: IDBFactory
  /** What the browser said when it found the database corrupt and made a new one; `undefined` when it did not. */
  dataLoss(): string | undefined
  /** Closes whatever still comes open: nobody waits for it, and it would block others. */
  abandon(): void
}

/**
 * Dexie opens a database that is newer than the code, and adds stores it misses to it: old code would damage newer data. So it gets
 * to open our own version only.
 */
export function watchFactory(indexedDB: IDBFactory): WatchedFactory {
  let loss: string | undefined
  let isAbandoned = false

  function open(name: string, version?: number): IDBOpenDBRequest {
    // Without a version Dexie answers a VersionError; with a higher one it wants to add what it misses.
    if (version !== nativeVersion) throw version === undefined ? newerError(name) : foreignError(name)
    const request = indexedDB.open(name, version)
    request.addEventListener('upgradeneeded', (event) => {
      loss = lossOf(event)
    })
    // Dexie would warn on the console; a notice comes when the wait is over.
    request.addEventListener('blocked', (event) => event.stopImmediatePropagation())
    request.addEventListener('success', () => {
      if (isAbandoned) request.result.close()
    })
    return request
  }

  const factory: IDBFactory = {
    open,
    deleteDatabase: (name) => indexedDB.deleteDatabase(name),
    cmp: (first, second) => indexedDB.cmp(first, second),
    databases: () => indexedDB.databases(),
  }
  return {
    factory,
    dataLoss: () => loss,
    abandon: () => {
      isAbandoned = true
    },
  }
}
