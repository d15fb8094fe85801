import { IDBObjectStore, IDBTransaction } from 'fake-indexeddb'

/** What fake-indexeddb does to carry out a request; all requests of all stores and indexes come through here. */
interface Insides {
  _execRequestAsync(request: { operation: () => unknown }): IDBRequest
  _abort(name: string): void
  readonly mode: IDBTransactionMode
  commit(): void
}

const insides = IDBTransaction.prototype as unknown as Insides

/**
 * How a request goes wrong: the call throws, the request fails by an error event, or the whole transaction is aborted.
 */
export type Fault = { readonly how: 'throw' | 'fail' | 'abort'; readonly name: string }

/**
 * Makes the n-th request from now on (counted from 1) go wrong. Call `restore` in the end; it says whether the fault
 * came to pass.
 *
 * @param mode - counts the requests of such transactions only
 */
export function failRequest(
  n: number,
  { how, name }: Fault,
  mode?: IDBTransactionMode,
): { readonly restore: () => boolean } {
  const original = insides._execRequestAsync
  let count = 0
  insides._execRequestAsync = function (this: Insides, request) {
    if (mode !== undefined && this.mode !== mode) return original.call(this, request)
    count++
    if (count !== n) return original.call(this, request)
    if (how === 'throw') throw new DOMException('planted', name)
    if (how === 'abort') this._abort(name)
    const operation = (): never => {
      throw new DOMException('planted', name)
    }
    return original.call(this, { ...request, operation })
  }
  return {
    restore: () => {
      insides._execRequestAsync = original
      return count >= n
    },
  }
}

/** Makes every commit fail with this error, as when the disk is full. */
export function failCommits(name: string): { readonly restore: () => void } {
  const original = insides.commit
  insides.commit = function (this: Insides) {
    this._abort(name)
  }
  return {
    restore: () => {
      insides.commit = original
    },
  }
}

/**
 * Makes every read of one value fail, and every read of many values that has it among them, as when the file is gone
 * that it lay in.
 */
export function failValues(store: string, key: IDBValidKey, name: string): { readonly restore: () => void } {
  const { get, getAll } = IDBObjectStore.prototype
  const isMeant = (asked: unknown): boolean => JSON.stringify(asked) === JSON.stringify(key)
  const run = (self: IDBObjectStore): IDBRequest => {
    const operation = (): never => {
      throw new DOMException('planted', name)
    }
    return (self.transaction as unknown as Insides)._execRequestAsync({ operation, ...({ source: self } as object) })
  }
  IDBObjectStore.prototype.get = function (this: IDBObjectStore, asked) {
    return this.name === store && isMeant(asked) ? run(this) : get.call(this, asked)
  } as typeof get
  IDBObjectStore.prototype.getAll = function (this: IDBObjectStore, ...asked: Parameters<typeof getAll>) {
    return this.name === store ? run(this) : getAll.call(this, ...asked)
  } as typeof getAll
  return {
    restore: () => {
      IDBObjectStore.prototype.get = get
      IDBObjectStore.prototype.getAll = getAll
    },
  }
}
