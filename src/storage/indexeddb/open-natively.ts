import { foreignError, newerError } from './database-errors.ts'
import { type Format, formats } from './formats.ts'
import type { DatabaseOpener } from './open-database.ts'
import { hasStores, type Preparation, prepareDatabase } from './prepare-database.ts'
import { nativeVersion } from './schema.ts'

/**
 * Opens databases without Dexie, for the session worker. There Dexie would be half of the code that loads before the
 * first message shows, and only the opening would use it.
 *
 * @param known - the formats that the code knows
 */
export function nativeOpener(known: readonly Format[]): DatabaseOpener {
  return (source, mayCreate) => {
    const { name, indexedDB } = source
    let isAbandoned = false
    let native: IDBDatabase | undefined
    let preparation: Preparation | undefined

    const opened = new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, nativeVersion(known.length))
      const { failure } = (preparation = prepareDatabase(request, source, known, mayCreate))
      request.onsuccess = () => {
        native = request.result
        if (!hasStores(native, known)) reject(foreignError(name))
        else resolve(native)
        if (isAbandoned) native.close()
      }
      request.onerror = (event) => {
        // Firefox would report it to the page a second time.
        event.preventDefault()
        reject(failure() ?? (request.error?.name === 'VersionError' ? newerError(name) : request.error))
      }
    })
    return {
      native: opened,
      created: () => preparation?.created(),
      dataLoss: () => preparation?.dataLoss(),
      close: () => native?.close(),
      abandon: () => {
        isAbandoned = true
      },
    }
  }
}

/** Opens databases in the format of this code. */
export const openNatively = nativeOpener(formats)
