import { recordCapacity } from '../../contract/backend.ts'
import type { ReadRecord } from '../readable.ts'
import { fetchKeys, fetchRecord } from './fetch-records.ts'
import { orderOf } from './record-keys.ts'
import type { ReadSteps } from './transaction.ts'
import { pushAll } from '../../domain/push-all.ts'

/** Where to walk, how far, and what to do on the way. */
export interface Walk {
  /** The keys that come after this one in the direction of walking; `undefined`: from where the walk begins. */
  readonly range: (after: string | undefined) => IDBKeyRange | undefined
  readonly reverse: boolean
  /** A record to visit before those of the range, if the walk goes forward: the last with a key in here. */
  readonly head?: IDBKeyRange
  /** How many entries are wanted. */
  readonly limit: number
  /** Looks at a record; gives how many of its entries count. */
  readonly visit: (record: ReadRecord) => number
  /** Whether the walk has come to its end with the record of this key. */
  readonly isLast: (key: string) => boolean
  /** The walk is over; `next` is the key it would go on with. */
  readonly end: (next: string | undefined) => void
}

/** Most requests for small records at a time. */
const deepest = 8

/**
 * Visits records until there are enough entries. Keys come in batches, values by requests of their own, several at a time: the browser
 * works on those side by side, which is faster than one request for all of them; and how many are needed shows only on the way,
 * because a record holds 1 to 64 entries.
 */
export function walkRecords(steps: ReadSteps<never>, walk: Walk): void {
  const { range, reverse, head, limit, visit, isLast, end } = walk
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
      goOn()
      return
    }
    isAsking = true
    fetchKeys(steps, rest, batch, reverse, (found) => {
      isAsking = false
      const last = found.findIndex((key) => isLast(orderOf(key)))
      pushAll(keys, last < 0 ? found : found.slice(0, last + 1))
      hasAllKeys = last >= 0 || found.length < batch
      batch = Math.min(2 * batch, 64)
      goOn()
    })
  }

  const depth = (): number => {
    const full = Math.ceil((limit - count) / recordCapacity)
    if (visited === 0) return full + 1
    // As large as the one before, but not many more than have been seen: full ones may follow small ones.
    const expected = Math.ceil((limit - count) / Math.max(1, size))
    return Math.max(full, Math.min(expected, 2 * visited + 1, deepest))
  }

  const goOn = (): void => {
    if (isOver) return
    const next = keys[visited]
    if (next === undefined ? hasAllKeys : count >= limit) {
      isOver = true
      end(next === undefined ? undefined : orderOf(next))
      return
    }
    while (asked < keys.length && asked - visited < depth()) fetchRecord(steps, keys[asked++]!, take)
    const last = keys.at(-1)
    if (asked === keys.length && !hasAllKeys && !isAsking) askForKeys(range(last === undefined ? undefined : orderOf(last)))
  }

  const take = (record: ReadRecord): void => {
    // Otherwise it was asked for in vain.
    if (isOver) return
    visited++
    size = record.entries.length
    count += visit(record)
    goOn()
  }

  const rest = range(undefined)
  if (head !== undefined) {
    steps.read(steps.store('entries').openKeyCursor(head, 'prev'), (cursor) => {
      if (cursor !== null) keys.push(cursor.primaryKey)
      if (rest === undefined) askForKeys(undefined)
    })
  }
  // Asked for together with the head, answered after it.
  if (head === undefined || rest !== undefined) askForKeys(rest)
}
