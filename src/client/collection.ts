import type { RowPage, RowRange, RowValue, RowWrite } from '../contract/store/collections.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { WriteOptions } from '../contract/store/write-options.ts'
import type { ChangeFeed } from './session/change-feed.ts'

/**
 * Private rows beside the sessions, for adapters of other libraries and for settings of the app: values under keys,
 * ordered by the UTF-16 code units of the keys. A key has 1 to 1,024 of them. A value is JSON or a `Uint8Array`, of at
 * most 8 MiB.
 */
export interface Collection {
  readonly name: string
  /** The value under a key; `undefined` when there is none. @throws ChecksumMismatch when it can't be read */
  get(key: string): Promise<RowValue | undefined>
  /** The values under these keys, in their order. @throws ChecksumMismatch when one can't be read */
  getAll(keys: readonly string[]): Promise<readonly (RowValue | undefined)[]>
  /** One page of the rows in a range of keys, at most 100 if no `limit` is given. */
  range(range?: RowRange): Promise<RowPage>
  /**
   * Applies up to 4,096 ops in their order, all or none. Default durability: `relaxed`.
   *
   * @returns for each op whether it changed something: `put` always does, `insertIfAbsent` if there was no row
   * @throws InvalidInput, TooLarge, OperationConflict, QuotaExceeded
   */
  write(ops: readonly RowWrite[], options?: WriteOptions): Promise<readonly boolean[]>
  /**
   * Calls back after changes of this collection, from this tab and the others, with the keys of the changed rows.
   * `undefined`: a worker died, and any row may have changed. Returns a function that unsubscribes.
   */
  subscribe(listener: (keys: readonly string[] | undefined) => void): () => void
}

export function createCollection(name: string, store: SessionStore, feed: ChangeFeed): Collection {
  const { getRows, listRows, writeRows } = store
  return {
    name,
    get: async (key) => (await getRows(name, [key]))[0],
    getAll: (keys) => getRows(name, keys),
    range: (range) => listRows(name, range),
    write: (ops, options) => writeRows(name, ops, options),
    subscribe: (listener) =>
      feed.subscribe((change) => {
        if (change.type === 'collection') change.collection === name && listener(change.keys)
        else if (change.type === 'notice' && change.name === 'workerRestarted') listener(undefined)
      }),
  }
}
