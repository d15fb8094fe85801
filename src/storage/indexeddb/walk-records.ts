import { recordCapacity } from '../../contract/backend.ts'
import { pushAll } from '../../domain/push-all.ts'
import type { ReadRecord } from '../readable.ts'
import { fetchKeys, fetchRecord } from './fetch-records.ts'
import { orderOf } from './record-keys.ts'
import type { ReadSteps } from './transaction.ts'

export interface KnownKeys {
  readonly keys: readonly IDBValidKey[]
  readonly areAll: boolean
}

/** A walk over records: where it goes, how far, and what it does. */
export interface Walk {
  /** The keys that come after this one in the direction of the walk; `undefined`: from the start. */
  readonly range: (after: string | undefined) => IDBKeyRange | undefined
  readonly reverse: boolean
  /** The first keys of the range, if they are known, and whether there are no others. */
  readonly known?: KnownKeys
  /** The last record with a key in here is visited before those of the range, when the walk goes forward. */
  readonly head?: IDBKeyRange
  /** How many entries are needed. */
  readonly limit: number
  /** Visits a record. @returns how many of its entries count */
  readonly visit: (record: ReadRecord) => number
  /** Whether the record with this key is the last one of the walk. */
  readonly isLast: (key: string) => boolean
  /** The walk is over; `next` is the key where it would continue. */
  readonly end: (next: string | undefined) => void
}

/** The most requests for small records at a time. */
const deepest = 8

/**
 * Visits records until there are enough entries. Keys come in batches. Values come by requests of their own, several at
 * a time: the browser works on these in parallel, which is faster than one request for all of them. How many are needed
 * becomes clear only on the way, because a record holds 1 to 64 entries.
 */
export function walkRecords(steps: ReadSteps<never>, walk: Walk): void {
  const { range, reverse, known, head, limit, visit, isLast, end } = walk
  const keys: IDBValidKey[] = []
  let hasAllKeys = false
  let isAsking = false
  let isOver = false
  let asked = 0
  let visited = 0
  let count = 0
  let size = 0
  let batch = Math.ceil(limit / recordCapacity) + 3

  const askForKeys = (rest: IDBKeyRange | undefined): void => {
    if (rest === undefined) {
      hasAllKeys = true
      proceed()
      return
    }
    isAsking = true
    fetchKeys(steps, rest, batch, reverse, (found) => {
      isAsking = false
      const areAll = found.length < batch
      batch = Math.min(2 * batch, 64)
      hear(found, areAll)
    })
  }

  const hear = (found: readonly IDBValidKey[], areAll: boolean): void => {
    const last = found.findIndex((key) => isLast(orderOf(key)))
    pushAll(keys, last < 0 ? found : found.slice(0, last + 1))
    hasAllKeys = last >= 0 || areAll
    proceed()
  }

  const depth = (): number => {
    const full = Math.ceil((limit - count) / recordCapacity)
    if (visited === 0) return full + 1
    // The next batch assumes records as large as the last one, but stays near the number seen so far: full records may
    // follow small ones.
    const expected = Math.ceil((limit - count) / Math.max(1, size))
    return Math.max(full, Math.min(expected, 2 * visited + 1, deepest))
  }

  const proceed = (): void => {
    if (isOver) return
    const next = keys[visited]
    if (next === undefined ? hasAllKeys : count >= limit) {
      isOver = true
      end(next === undefined ? undefined : orderOf(next))
      return
    }
    while (asked < keys.length && asked - visited < depth()) fetchRecord(steps, keys[asked++]!, take)
    const last = keys.at(-1)
    if (asked === keys.length && !hasAllKeys && !isAsking)
      askForKeys(range(last === undefined ? undefined : orderOf(last)))
  }

  const take = (record: ReadRecord): void => {
    // After the end of the walk this answer is not needed.
    if (isOver) return
    visited++
    size = record.entries.length
    count += visit(record)
    proceed()
  }

  if (known !== undefined) {
    hear(known.keys, known.areAll)
    return
  }
  const rest = range(undefined)
  if (head !== undefined) {
    steps.read(steps.store('entries').openKeyCursor(head, 'prev'), (cursor) => {
      if (cursor !== null) keys.push(cursor.primaryKey)
      if (rest === undefined) askForKeys(undefined)
    })
  }
  // It is requested together with the head, and answered after it.
  if (head === undefined || rest !== undefined) askForKeys(rest)
}
