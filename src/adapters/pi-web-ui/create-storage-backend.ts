import type { SessionClient } from '../../client/client-contract.ts'
import { SessionError } from '../../contract/errors.ts'
import { decodeValues } from '../encode-values.ts'
import { unless } from '../unless.ts'
import { orderByIndex } from './order-by-index.ts'
import type { PiStorageBackend, PiStorageTransaction, PiStoreConfig } from './storage-types.ts'
import { createStoredValues, encodeValue } from './stored-values.ts'

/** Options of {@link createStorageBackend}. */
export interface StorageBackendOptions {
  /**
   * What `getConfig()` of pi-web-ui's stores returns, for indices whose name is not the property that they order by.
   * Default: the name of an index is its property, as in pi-web-ui's own stores.
   */
  readonly stores?: readonly PiStoreConfig[]
  /** The collection that the values are in. Default `pi-web-ui`. */
  readonly collection?: string
}

/**
 * The `StorageBackend` of `@mariozechner/pi-web-ui` over a collection: its sessions, settings, keys and providers share
 * the worker, the encryption, the mirror and the archives of the store. Values are JSON, `Date` or `Uint8Array`, of any
 * size.
 *
 * @example
 * const backend = createStorageBackend(await openSessionStore())
 * for (const store of [settings, providerKeys, sessions, customProviders]) store.setBackend(backend)
 *
 * @throws (its methods) SessionError: InvalidInput for names and keys that are empty or too long (1,000 characters are
 *   not) and for what is not JSON, Date or Uint8Array; ChecksumMismatch for values that can't be read; TooLarge
 *   for a transaction of more than 4,096 rows; QuotaExceeded
 */
export function createStorageBackend(
  client: Pick<SessionClient, 'collection' | 'name' | 'upkeep'>,
  options: StorageBackendOptions = {},
): PiStorageBackend {
  const values = createStoredValues(client.collection(options.collection ?? 'pi-web-ui'), client.name)
  const indices = new Map(
    (options.stores ?? []).flatMap(({ name, indices: declared = [] }) =>
      declared.map((index) => [`${name}/${index.name}`, index] as const),
    ),
  )
  const get: PiStorageBackend['get'] = async <T>(storeName: string, key: string) =>
    ((await values.get(rowOf(storeName, key)))?.value ?? null) as T | null

  return {
    get,
    set: async (storeName, key, value) => values.write(new Map([[rowOf(storeName, key), encodeValue(value)]])),
    delete: async (storeName, key) => values.write(new Map([[rowOf(storeName, key), undefined]])),
    has: async (storeName, key) => values.has(rowOf(storeName, key)),
    keys: async (storeName, prefix = '') => {
      const keys: string[] = []
      const start = prefixOf(storeName)
      for await (const { row } of values.list(`${start}${prefix}`)) keys.push(row.slice(start.length))
      return keys
    },
    getAllFromIndex: async <T>(storeName: string, indexName: string, direction: 'asc' | 'desc' = 'asc') => {
      const found: { key: string; value: T }[] = []
      for await (const { row, read } of values.list(prefixOf(storeName)))
        found.push({ key: row, value: (await read().catch(unless('ChecksumMismatch'))) as T })
      return orderByIndex(found, indices.get(`${storeName}/${indexName}`) ?? { keyPath: indexName }, direction)
    },
    clear: async (storeName) => {
      let changes = new Map<string, undefined>()
      for await (const { row } of values.list(prefixOf(storeName))) {
        changes.set(row, undefined)
        if (changes.size < 1000) continue
        await values.write(changes)
        changes = new Map()
      }
      if (changes.size > 0) await values.write(changes)
    },
    transaction: async (storeNames, mode, operation) => {
      const changes: WrittenRows = new Map()
      const result = await operation(within(changes, { get }, storeNames, mode))
      if (changes.size > 0) await values.write(changes)
      return result
    },
    getQuotaInfo: async () => {
      const { usage = 0, quota = 0 } =
        (await (globalThis.navigator as Navigator | undefined)?.storage?.estimate?.()) ?? {}
      return { usage, quota, percent: quota === 0 ? 0 : (usage / quota) * 100 }
    },
    requestPersistence: async () => (await client.upkeep.persist()) === 'granted',
  }
}

/** What a transaction writes when it is over: `undefined` deletes. */
type WrittenRows = Map<string, ReturnType<typeof encodeValue> | undefined>

/** A transaction that keeps its writes until it is over. */
function within(
  changes: WrittenRows,
  { get }: Pick<PiStorageBackend, 'get'>,
  storeNames: readonly string[],
  mode: 'readonly' | 'readwrite',
): PiStorageTransaction {
  function rowIn(storeName: string, key: string): string {
    if (!storeNames.includes(storeName))
      throw new SessionError(
        'InvalidInput',
        `The transaction is of ${storeNames.map((name) => `"${name}"`).join(', ')}, and was asked for "${storeName}". Name all stores that it uses.`,
      )
    return rowOf(storeName, key)
  }
  function change(storeName: string, key: string, changed: ReturnType<typeof encodeValue> | undefined): void {
    const row = rowIn(storeName, key)
    if (mode === 'readonly')
      throw new SessionError('InvalidInput', `A readonly transaction can't change "${key}". Pass "readwrite".`)
    changes.set(row, changed)
  }
  return {
    get: async <T>(storeName: string, key: string) => {
      const row = rowIn(storeName, key)
      return changes.has(row) ? (decodeValues(changes.get(row)?.value ?? null) as T | null) : get<T>(storeName, key)
    },
    set: async (storeName, key, value) => change(storeName, key, encodeValue(value)),
    delete: async (storeName, key) => change(storeName, key, undefined),
  }
}

/** Names of stores may have slashes, and so may keys. */
const prefixOf = (storeName: string): string => {
  if (typeof (storeName as unknown) !== 'string' || storeName === '')
    throw new SessionError('InvalidInput', `The name of a store must be a non-empty string, got ${typeof storeName}.`)
  return `${encodeURIComponent(storeName)}/`
}

function rowOf(storeName: string, key: string): string {
  if (typeof (key as unknown) !== 'string' || key === '')
    throw new SessionError('InvalidInput', `A key of "${storeName}" must be a non-empty string, got ${typeof key}.`)
  return `${prefixOf(storeName)}${key}`
}
