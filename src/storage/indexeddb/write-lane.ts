import type { SessionWrite } from '../../contract/write-batch.ts'
import { orderEnd } from '../../domain/order.ts'
import type { LaneStep } from '../lane-steps.ts'
import { packRecords, rewriteRecord } from '../records.ts'
import { type KeyRanges, orderOf } from './record-keys.ts'
import { readRecordValue } from './record-value.ts'
import { isValueLost } from './storage-error.ts'
import type { WriteSteps } from './transaction.ts'
import { dropBodies, keepAside, putRecords } from './write-records.ts'

/** A stored record. */
interface Found {
  readonly key: string
  readonly value: unknown
}

/**
 * Applies the steps to their records, one record after the other: the record with the greatest key at or below the
 * order gets this step and every further one before the next record. Then calls `done`.
 */
export function changeLane(
  steps: WriteSteps,
  ranges: KeyRanges,
  session: number,
  lane: number,
  changes: readonly LaneStep[],
  done: () => void,
): void {
  const first = changes[0]
  if (first === undefined) {
    done()
    return
  }
  const store = steps.store('entries')
  let here: IDBValidKey | undefined
  steps.read(store.openKeyCursor(ranges.lane(session, lane, '', first.order), 'prev'), (cursor) => {
    here = cursor?.primaryKey
  })
  steps.read(store.getKey(ranges.lane(session, lane, first.order, '~', 'from')), (next) => {
    const end = next === undefined ? -1 : changes.findIndex(({ order }) => order >= orderOf(next))
    const inside = end < 0 ? changes : changes.slice(0, end)
    const change = (found: Found | undefined): void => {
      changeRecord(steps, ranges, session, lane, found, inside)
      changeLane(steps, ranges, session, lane, changes.slice(inside.length), done)
    }
    if (here === undefined) change(undefined)
    else fetchValue(steps, here, (value) => change({ key: orderOf(here!), value }))
  })
}

/**
 * Fetches the value under a key; `undefined` when it is lost for good. Any other failure may pass, and ends the write.
 */
function fetchValue(steps: WriteSteps, key: IDBValidKey, use: (value: unknown) => void): void {
  steps.attempt<unknown>(steps.store('entries').get(key), use, (error) => {
    if (!isValueLost(error)) throw error
    use(undefined)
  })
}

function changeRecord(
  steps: WriteSteps,
  ranges: KeyRanges,
  session: number,
  lane: number,
  found: Found | undefined,
  changes: readonly LaneStep[],
): void {
  const record = found === undefined ? undefined : readRecordValue(found.key, found.value)
  const { put, drop, erased } = rewriteRecord(record, changes)
  if (record?.isDamaged && (drop || put.some(({ key }) => key === record.key)))
    keepAside(steps, session, lane, record.key, found?.value)
  if (record !== undefined && drop) steps.store('entries').delete([session, lane, record.key])
  putRecords(steps, session, lane, put)
  dropBodies(steps, ranges, session, lane, erased)
}

/** Joins small records: {@link SessionWrite.pack}. */
export function packLane(
  steps: WriteSteps,
  ranges: KeyRanges,
  session: number,
  { lane, from, to = orderEnd }: NonNullable<SessionWrite['pack']>,
): void {
  if (from >= to) return
  const store = steps.store('entries')
  const range = ranges.lane(session, lane, from, to, 'to')
  let keys: readonly IDBValidKey[] = []
  steps.read(store.getAllKeys(range), (found) => {
    keys = found
  })
  const pack = (values: readonly unknown[]): void => {
    const records = values.map((value, i) => {
      const record = readRecordValue(orderOf(keys[i]!), value)
      return record.isDamaged ? undefined : record
    })
    const { put, drop } = packRecords(records)
    for (const key of drop) store.delete([session, lane, key])
    putRecords(steps, session, lane, put)
  }
  // Records that can't be fetched together stay as they are, because packing only saves time.
  steps.attempt<unknown[]>(store.getAll(range), pack, () => undefined)
}
