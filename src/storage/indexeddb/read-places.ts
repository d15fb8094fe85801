import type { HotRow, StoredEntry } from '../../contract/rows.ts'
import type { PlacedEntries, SessionPlaces } from '../../contract/session-places.ts'
import { place } from '../packed-entry.ts'
import type { ReadRecord } from '../readable.ts'
import { fetchKeys, fetchLast, fetchRecord } from './fetch-records.ts'
import { readCold, readHot } from './load-session.ts'
import { type KeyRanges, orderOf } from './record-keys.ts'
import { restoreEntries } from './restore-entries.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link ReadPlaces} in one transaction. Two transactions for each place would take half of the time of a search. */
export function readPlaces(
  steps: ReadSteps<readonly (PlacedEntries | undefined)[]>,
  ranges: KeyRanges,
  asked: readonly SessionPlaces[],
): void {
  const answers: (PlacedEntries | undefined)[] = asked.map(() => undefined)
  const done = countdown(asked.length, () => steps.answer(answers))
  for (const [i, one] of asked.entries()) {
    readSession(steps, ranges, one, (answer) => {
      answers[i] = answer
      done()
    })
  }
}

/** Calls `end` after this many calls; at once when there are none. */
function countdown(count: number, end: () => void): () => void {
  let waiting = count
  if (count === 0) end()
  return () => {
    waiting--
    if (waiting === 0) end()
  }
}

function readSession(
  steps: ReadSteps<never>,
  ranges: KeyRanges,
  { key, session, places }: SessionPlaces,
  use: (answer: PlacedEntries | undefined) => void,
): void {
  let hot: HotRow | undefined
  readHot(steps, key, (row) => {
    hot = row
  })
  // These are requested together, and answered in this order.
  readCold(steps, session, (cold) => {
    if (hot?.session !== session || cold === undefined) return use(undefined)
    const rows = { hot, cold }
    const entries: (StoredEntry | undefined)[] = places.map(() => undefined)
    const wanted = new Map<number, number[]>()
    for (const [i, { branch }] of places.entries()) {
      const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
      if (lane !== undefined) wanted.set(lane, [...(wanted.get(lane) ?? []), i])
    }
    const done = countdown(wanted.size, () => use({ rows, entries }))
    for (const [lane, list] of wanted) {
      const orders = new Map(list.map((i) => [places[i]!.order, i]))
      const take = (found: readonly StoredEntry[]): void => {
        for (const entry of found) entries[orders.get(entry.order)!] = entry
        done()
      }
      readOrders(steps, ranges, session, lane, orders, take)
    }
  })
}

/** Reads the entries of a lane with these orders, as far as they exist. */
function readOrders(
  steps: ReadSteps<never>,
  ranges: KeyRanges,
  session: number,
  lane: number,
  orders: ReadonlyMap<string, number>,
  use: (entries: readonly StoredEntry[]) => void,
): void {
  const pick = (records: readonly ReadRecord[]): void => {
    const some = records.map((record) => ({
      ...record,
      entries: record.entries.filter(({ [place.order]: order }) => orders.has(order)),
    }))
    restoreEntries(steps, session, lane, some, use)
  }
  const upTo = (order: string): IDBKeyRange => ranges.lane(session, lane, '', order)
  const [only] = orders.keys()
  if (orders.size === 1) return fetchLast(steps, upTo(only!), pick)
  // One record, which is large, may have many of them.
  const keys = new Map<string, IDBValidKey>()
  const found = countdown(orders.size, () => {
    const records: ReadRecord[] = []
    const done = countdown(keys.size, () => pick(records))
    for (const key of keys.values()) {
      fetchRecord(steps, key, (record) => {
        records.push(record)
        done()
      })
    }
  })
  for (const order of orders.keys()) {
    fetchKeys(steps, upTo(order), 1, true, ([key]) => {
      if (key !== undefined) keys.set(orderOf(key), key)
      found()
    })
  }
}
