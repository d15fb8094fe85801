import { foreignError, newerError } from './database-errors.ts'
import type { DatabaseSource } from './database-source.ts'
import type { Format } from './formats.ts'
import { type Preparation, prepareDatabase } from './prepare-database.ts'
import { nativeVersion } from './schema.ts'

/** A factory for Dexie that prevents some of its actions, and sees results that it does not show. */
export interface WatchedFactory extends Preparation {
  readonly factory: IDBFactory
  /** Closes the database if it still opens: its caller does not wait for it any more, and it would block others. */
  abandon(): void
}

/**
 * Dexie would open a database that is newer than the code, and add the stores that it misses: old code would damage
 * newer data. So it can only open exactly our version.
 */
export function watchFactory(source: DatabaseSource, known: readonly Format[], mayCreate: boolean): WatchedFactory {
  const { indexedDB } = source
  let preparation: Preparation | undefined
  let isAbandoned = false

  function open(name: string, version?: number): IDBOpenDBRequest {
    // Without a version Dexie handles a VersionError. With a higher one it tries to add missing stores.
    if (version !== nativeVersion(known.length)) throw version === undefined ? newerError(name) : foreignError(name)
    const request = indexedDB.open(name, version)
    preparation = prepareDatabase(request, source, known, mayCreate)
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
    created: () => preparation?.created(),
    dataLoss: () => preparation?.dataLoss(),
    failure: () => preparation?.failure(),
    abandon: () => {
      isAbandoned = true
    },
  }
}
