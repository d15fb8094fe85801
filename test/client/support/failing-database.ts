import { IDBTransaction } from 'fake-indexeddb'

const words = 'Connection to Indexed Database server lost. Refresh the page to try again'

/**
 * Databases of fake-indexeddb whose server can be lost: then every transaction fails, and so does every opening, until
 * it is back.
 */
export interface FailingDatabase {
  lose(): void
  bringBack(): void
  /** How often a database was opened since it was lost. */
  openings(): number
}

export function failDatabase(indexedDB: IDBFactory): FailingDatabase {
  const insides = IDBTransaction.prototype as unknown as {
    _execRequestAsync(request: { operation: () => unknown }): IDBRequest
  }
  const { open } = indexedDB
  const { _execRequestAsync: execute } = insides
  let openings = 0
  const fail = (): never => {
    throw new DOMException(words, 'UnknownError')
  }
  return {
    lose: () => {
      openings = 0
      insides._execRequestAsync = function (request) {
        return execute.call(this, { ...request, operation: fail })
      }
      indexedDB.open = () => {
        openings++
        return fail()
      }
    },
    bringBack: () => {
      insides._execRequestAsync = execute
      indexedDB.open = open
    },
    openings: () => openings,
  }
}
