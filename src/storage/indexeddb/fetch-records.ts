import type { RecordKey } from './keys.ts'
import type { ReadRecord } from '../readable.ts'
import { readRecordValue } from './record-value.ts'
import type { ReadSteps, Steps } from './transaction.ts'

export interface FetchOptions {
  /** Most records to give. Absent: all. */
  readonly count?: number | undefined
  readonly reverse?: boolean
}

/**
 * Takes records in the direction of reading, and the key of the one that comes next, if there is one. What can't be read comes as a
 * damaged, empty record.
 */
type UseRecords = (records: readonly ReadRecord[], next: string | undefined) => void

/** Both calls can begin at the end: Chromium 141, Firefox 143. */
interface RecordSource extends IDBObjectStore {
  getAllRecords?(options: GetAllOptions): IDBRequest<readonly { readonly key: IDBValidKey; readonly value: unknown }[]>
}

interface GetAllOptions {
  readonly query: IDBKeyRange
  readonly count?: number
  readonly direction: IDBCursorDirection
}

/**
 * One call for many records saves a round trip; a call for each lets the browser work on them at the same time, which wins once there
 * are more than a few full ones.
 */
const mostInOneCall = 4

/** Reads records in a range of keys. Only in a read-only transaction: it may walk a cursor. */
export function fetchRecords(steps: ReadSteps<never>, range: IDBKeyRange, options: FetchOptions, use: UseRecords): void {
  const store: RecordSource = steps.store('entries')
  const { count, reverse = false } = options
  const singly = (): void => fetchKeys(steps, store, range, options, (keys) => fetchEach(steps, store, keys, count, use))
  if (count !== undefined && count > mostInOneCall) {
    singly()
    return
  }
  const limit = count === undefined ? undefined : count + 1
  const give = (keys: readonly IDBValidKey[], value: (i: number) => unknown): void => {
    const given = count === undefined ? keys : keys.slice(0, count)
    use(given.map((key, i) => readRecordValue(orderOf(key), value(i))), nextOf(keys, count))
  }
  // One value that can't be read fails the whole call: then each is asked for by itself.
  if (typeof store.getAllRecords === 'function') {
    steps.attempt(store.getAllRecords(getAllOptions(range, limit, reverse)), (rows) => give(rows.map(({ key }) => key), (i) => rows[i]!.value), singly)
  } else if (reverse && count !== undefined) singly()
  else {
    let keys: readonly IDBValidKey[] = []
    steps.read(store.getAllKeys(range, limit), (found) => {
      keys = found
    })
    steps.attempt(store.getAll(range, limit), (values) => give(reverse ? keys.toReversed() : keys, (i) => values[reverse ? values.length - 1 - i : i]), singly)
  }
}

function orderOf(key: IDBValidKey): string {
  return (key as RecordKey)[2]
}

function nextOf(keys: readonly IDBValidKey[], count: number | undefined): string | undefined {
  const next = count === undefined ? undefined : keys[count]
  return next === undefined ? undefined : orderOf(next)
}

function getAllOptions(query: IDBKeyRange, count: number | undefined, reverse: boolean): GetAllOptions {
  return { query, direction: reverse ? 'prev' : 'next', ...(count === undefined ? {} : { count }) }
}

/** One key more than records are wanted. */
function fetchKeys(steps: Steps, store: RecordSource, range: IDBKeyRange, { count, reverse = false }: FetchOptions, use: (keys: readonly IDBValidKey[]) => void): void {
  const limit = count === undefined ? undefined : count + 1
  if (!reverse) steps.read(store.getAllKeys(range, limit), use)
  else if (limit === undefined) steps.read(store.getAllKeys(range), (keys) => use(keys.toReversed()))
  else if (typeof store.getAllRecords === 'function') {
    const getAllKeys = store.getAllKeys.bind(store) as unknown as (options: GetAllOptions) => IDBRequest<IDBValidKey[]>
    steps.read(getAllKeys(getAllOptions(range, limit, true)), use)
  } else walkKeys(steps, store, range, limit, use)
}

function walkKeys(steps: Steps, store: IDBObjectStore, range: IDBKeyRange, limit: number, use: (keys: readonly IDBValidKey[]) => void): void {
  const keys: IDBValidKey[] = []
  steps.read(store.openKeyCursor(range, 'prev'), (cursor) => {
    if (cursor !== null) keys.push(cursor.primaryKey)
    if (cursor === null || keys.length === limit) use(keys)
    else cursor.continue()
  })
}

function fetchEach(steps: Steps, store: IDBObjectStore, keys: readonly IDBValidKey[], count: number | undefined, use: UseRecords): void {
  const wanted = count === undefined ? keys : keys.slice(0, count)
  const records: ReadRecord[] = []
  const take = (record: ReadRecord): void => {
    records.push(record)
    if (records.length === wanted.length) use(records, nextOf(keys, count))
  }
  if (wanted.length === 0) use([], undefined)
  for (const key of wanted) {
    steps.attempt(store.get(key), (value) => take(readRecordValue(orderOf(key), value)), () => take({ key: orderOf(key), entries: [], isDamaged: true }))
  }
}
