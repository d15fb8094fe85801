import { Dexie } from 'dexie'
import { SessionError } from '../../contract/errors.ts'
import { type Format, formats } from './formats.ts'
import type { DatabaseOpener } from './open-database.ts'
import { watchFactory } from './watched-factory.ts'

/**
 * Opens databases with Dexie, which compares the stored schema with the expected one.
 *
 * @param known - the formats that the code knows
 */
export function dexieOpener(known: readonly Format[]): DatabaseOpener {
  return (source, mayCreate) => {
    const { name, IDBKeyRange } = source
    const watched = watchFactory(source, known, mayCreate)
    const dexie = new Dexie(name, { autoOpen: false, indexedDB: watched.factory, IDBKeyRange })
    dexie
      .version(known.length)
      .stores(Object.assign({}, ...known.map(({ stores }) => stores)) as Record<string, string>) // bounded: as many as there are formats
    // Keeps Dexie's own handler from warning on the console; the connection has its own.
    dexie.on('versionchange', () => false)

    const open = async (): Promise<IDBDatabase> => {
      try {
        await dexie.open()
        return dexie.backendDB()
      } catch (error) {
        if (watched.failure() !== undefined) throw watched.failure()
        // Dexie wraps the errors of the factory. Our own errors are unwrapped again.
        const { inner } = error as { inner?: unknown }
        throw inner instanceof SessionError ? inner : error
      }
    }
    return {
      native: open(),
      created: watched.created,
      dataLoss: watched.dataLoss,
      close: () => dexie.close(),
      abandon: watched.abandon,
    }
  }
}

/** Opens databases in the format of this code. */
export const openWithDexie = dexieOpener(formats)
