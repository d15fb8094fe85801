import type { SessionClient } from '../../client/client-contract.ts'
import type { Collection } from '../../client/collection.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { RowValue, RowWrite } from '../../contract/store/collections.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import { itemKey, namespacePrefix, placeOfItem } from './item-keys.ts'
import { listNamespaces } from './list-namespaces.ts'
import { matchesFilter } from './match-filter.ts'
import { readRows } from './readable-pages.ts'
import type { PutOperation, SearchOperation, StoreItem, StoreModule, StoreOperation } from './store-types.ts'

interface StoredItem {
  readonly value: JsonValue
  /** In milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The long-term memory of LangGraph agents over a collection: items by namespace and key, which survive a reload. It
 * has no vectors: a `query` is not used, and items come in the order of namespaces and keys.
 *
 * @example
 * const store = createLangGraphStore(client, { BaseStore })
 * const graph = builder.compile({ checkpointer, store })
 * await store.put(['users', 'ada'], 'prefs', { theme: 'dark' })
 *
 * @param module - the base class, or the whole module that has it
 * @param options - `collection`: the collection that the rows are in. Default `langgraph-store`
 * @throws (its methods) SessionError: InvalidInput for labels that are empty and for what is not JSON, Date or
 *   Uint8Array; ChecksumMismatch for rows that can't be read; QuotaExceeded, TooLarge
 */
export function createLangGraphStore<Store extends object>(
  client: Pick<SessionClient, 'collection'>,
  module: StoreModule<Store>,
  options: { readonly collection?: string } = {},
): Store {
  const collection = client.collection(options.collection ?? 'langgraph-store')
  const Base: abstract new () => object = module.BaseStore

  class KeepsessionStore extends Base {
    /**
     * What is read is what was stored before the call. Then all items are stored in one commit; of several with one
     * key, the last one.
     */
    async batch(operations: readonly StoreOperation[]): Promise<unknown[]> {
      // First, so that a bad one stops the call before anything is read or written.
      const keys = operations.map((operation) =>
        'namespace' in operation ? itemKey(operation.namespace, operation.key) : '',
      )
      const puts = new Map<string, PutOperation>()
      const reads = operations.map((operation, i) => {
        if ('namespacePrefix' in operation) return search(collection, operation)
        if (!('namespace' in operation)) return listNamespaces(collection, operation)
        if (!('value' in operation)) return getItem(collection, keys[i]!)
        puts.set(keys[i]!, operation)
        return undefined
      })
      const found = await Promise.all(reads)
      if (puts.size > 0) await putItems(collection, puts)
      return found
    }
  }

  return new KeepsessionStore() as object as Store
}

async function getItem(collection: Collection, key: string): Promise<StoreItem | null> {
  const row = await collection.get(key)
  return row === undefined ? null : itemOfRow(key, row)
}

function itemOfRow(rowKey: string, row: RowValue): StoreItem {
  const { value, createdAt, updatedAt } = row as StoredItem & JsonValue
  const { namespace, key } = placeOfItem(rowKey)
  return {
    value: decodeValues(value) as StoreItem['value'],
    key,
    namespace,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}

/** Stores and deletes items. One that exists keeps the time when it was created. */
async function putItems(collection: Collection, puts: ReadonlyMap<string, PutOperation>): Promise<void> {
  const keys = [...puts.keys()]
  const before = await collection.getAll(keys)
  const now = Date.now()
  const rows = keys.map((key, i): RowWrite => {
    const { value } = puts.get(key)!
    if (value === null) return { type: 'delete', key }
    const { createdAt = now } = (before[i] ?? {}) as Partial<StoredItem>
    return { type: 'put', key, value: { value: encodeValues(value) as JsonValue, createdAt, updatedAt: now } }
  })
  await collection.write(rows)
}

/** Items below a namespace, read as far as they are asked for. */
async function search(
  collection: Collection,
  { namespacePrefix: labels, filter, limit = 10, offset = 0 }: SearchOperation,
): Promise<StoreItem[]> {
  const found: StoreItem[] = []
  let left = offset
  if (limit <= 0) return found
  for await (const { key, value } of readRows(collection, { prefix: namespacePrefix(labels), limit: 100 })) {
    const item = itemOfRow(key, value)
    if (!matchesFilter(item.value, filter)) continue
    if (left-- > 0) continue
    found.push(item)
    if (found.length >= limit) break
  }
  return found
}
