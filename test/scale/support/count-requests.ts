import { IDBTransaction } from 'fake-indexeddb'

/** What fake-indexeddb does to carry out a request; all requests of all stores and indexes come through here. */
interface Insides {
  _execRequestAsync(request: { operation: () => unknown }): IDBRequest
}

const insides = IDBTransaction.prototype as unknown as Insides

/** Counts requests to all databases of this realm, each row of an answer as one, until `restore` is called. */
export function countRequests(): { read(): number; restore(): void } {
  const original = insides._execRequestAsync
  let count = 0
  insides._execRequestAsync = function (this: Insides, request) {
    const operation = (): unknown => {
      const result = request.operation()
      count += Array.isArray(result) ? Math.max(1, result.length) : 1
      return result
    }
    return original.call(this, { ...request, operation })
  }
  return {
    read: () => count,
    restore: () => {
      insides._execRequestAsync = original
    },
  }
}
