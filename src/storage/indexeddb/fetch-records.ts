import type { ReadRecord } from '../readable.ts'
import { orderOf } from './record-keys.ts'
import { readRecordValue } from './record-value.ts'
import type { ReadSteps, Steps } from './transaction.ts'

/** Abilities of newer browsers (Chromium 141, Firefox 143): read backwards, and return keys together with values. */
interface RecordSource extends IDBObjectStore {
  getAllRecords?(options: {
    readonly query: IDBKeyRange
    readonly count: number
  }): IDBRequest<readonly { readonly key: IDBValidKey; readonly value: unknown }[]>
}

/**
 * One call is fastest for a tail of small records. For many full ones, a call for each is twice as fast, because the
 * browser works on those in parallel.
 */
const mostInOneCall = 72

/** Fetches one record. An unreadable one is returned as damaged and empty. */
export function fetchRecord(steps: Steps, key: IDBValidKey, use: (record: ReadRecord) => void): void {
  const order = orderOf(key)
  const damaged = (): void => use({ key: order, entries: [], isDamaged: true })
  steps.attempt(steps.store('entries').get(key), (value) => use(readRecordValue(order, value)), damaged)
}

/** Fetches the last record in a range of keys, as a list of one or none. */
export function fetchLast(
  steps: Steps,
  range: IDBKeyRange | undefined,
  use: (records: readonly ReadRecord[]) => void,
): void {
  if (range === undefined) {
    use([])
    return
  }
  const store = steps.store('entries')
  // The key can be read without the value.
  const keyOnly = (): void => {
    steps.read(store.openKeyCursor(range, 'prev'), (cursor) =>
      use(cursor === null ? [] : [{ key: orderOf(cursor.primaryKey), entries: [], isDamaged: true }]),
    )
  }
  const take = (cursor: IDBCursorWithValue | null): void =>
    use(cursor === null ? [] : [readRecordValue(orderOf(cursor.primaryKey), cursor.value)])
  steps.attempt(store.openCursor(range, 'prev'), take, keyOnly)
}

/**
 * Fetches all records of a range, ascending.
 *
 * @param range - the keys after this one, `undefined` for all; returns `undefined` when there can be none
 */
export function fetchRecords(
  steps: Steps,
  range: (after: string | undefined) => IDBKeyRange | undefined,
  use: (records: readonly ReadRecord[]) => void,
): void {
  const query = range(undefined)
  if (query === undefined) {
    use([])
    return
  }
  const store: RecordSource = steps.store('entries')
  const rest = (after: string | undefined, then: (records: readonly ReadRecord[]) => void): void => {
    const beyond = range(after)
    if (beyond === undefined) then([])
    else steps.read(store.getAllKeys(beyond), (keys) => fetchEach(steps, keys, then))
  }
  const take = (records: readonly ReadRecord[]): void => {
    if (records.length < mostInOneCall) use(records)
    else rest(records.at(-1)?.key, (others) => use([...records, ...others]))
  }
  // One unreadable value fails the whole call. Then each is fetched by itself.
  const singly = (): void => rest(undefined, use)
  if (typeof store.getAllRecords === 'function') {
    steps.attempt(
      store.getAllRecords({ query, count: mostInOneCall }),
      (rows) => take(rows.map(({ key, value }) => readRecordValue(orderOf(key), value))),
      singly,
    )
    return
  }
  let keys: readonly IDBValidKey[] = []
  steps.read(store.getAllKeys(query, mostInOneCall), (found) => {
    keys = found
  })
  steps.attempt(
    store.getAll(query, mostInOneCall),
    (values) => take(values.map((value, i) => readRecordValue(orderOf(keys[i]!), value))),
    singly,
  )
}

function fetchEach(steps: Steps, keys: readonly IDBValidKey[], use: (records: readonly ReadRecord[]) => void): void {
  const records: ReadRecord[] = []
  if (keys.length === 0) use(records)
  for (const key of keys) {
    fetchRecord(steps, key, (record) => {
      records.push(record)
      if (records.length === keys.length) use(records)
    })
  }
}

/**
 * Fetches the keys of up to `count` records, from the start or the end of a range. It walks a cursor, so that it is for
 * reading only.
 */
export function fetchKeys(
  steps: ReadSteps<never>,
  range: IDBKeyRange,
  count: number,
  reverse: boolean,
  use: (keys: readonly IDBValidKey[]) => void,
): void {
  const store: RecordSource = steps.store('entries')
  if (!reverse) {
    steps.read(store.getAllKeys(range, count), use)
    return
  }
  if (typeof store.getAllRecords === 'function') {
    const getAllKeys = store.getAllKeys.bind(store) as unknown as (options: object) => IDBRequest<IDBValidKey[]>
    steps.read(getAllKeys({ query: range, count, direction: 'prev' }), use)
    return
  }
  const keys: IDBValidKey[] = []
  steps.read(store.openKeyCursor(range, 'prev'), (cursor) => {
    if (cursor !== null) keys.push(cursor.primaryKey)
    if (cursor === null || keys.length === count) use(keys)
    else cursor.continue()
  })
}
