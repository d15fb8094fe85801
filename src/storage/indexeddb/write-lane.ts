import type { LaneStep } from '../lane-steps.ts'
import { packRecords, rewriteRecord } from '../records.ts'
import type { KeyRanges, RecordKey } from './keys.ts'
import { readRecordValue } from './record-value.ts'
import type { WriteSteps } from './transaction.ts'
import { dropBodies, keepAside, putRecords } from './write-records.ts'

/** Stands for a record in the place of which nothing could be found. */
interface Found {
  readonly key: string
  readonly value: unknown
}

/**
 * Takes the steps to the records they fall on, one record after the other: the one with the greatest key at or below the order, and
 * every further step before the next record. Then calls `done`.
 */
export function changeLane(steps: WriteSteps, ranges: KeyRanges, session: number, lane: number, changes: readonly LaneStep[], done: () => void): void {
  const first = changes[0]
  if (first === undefined) {
    done()
    return
  }
  const store = steps.store('entries')
  let found: Found | undefined
  const take = (cursor: IDBCursorWithValue | null): void => {
    found = cursor === null ? undefined : { key: (cursor.primaryKey as RecordKey)[2], value: cursor.value }
  }
  // A record whose value can't be fetched is passed over: what belongs into it becomes a record beside it.
  steps.attempt(store.openCursor(ranges.lane(session, lane, '', first.order), 'prev'), take, () => undefined)
  steps.read(store.getKey(ranges.lane(session, lane, first.order, '~', 'from')), (key) => {
    const next = key === undefined ? undefined : (key as RecordKey)[2]
    const end = next === undefined ? -1 : changes.findIndex(({ order }) => order >= next)
    const here = end < 0 ? changes : changes.slice(0, end)
    changeRecord(steps, ranges, session, lane, found, here)
    changeLane(steps, ranges, session, lane, changes.slice(here.length), done)
  })
}

function changeRecord(steps: WriteSteps, ranges: KeyRanges, session: number, lane: number, found: Found | undefined, changes: readonly LaneStep[]): void {
  const record = found === undefined ? undefined : readRecordValue(found.key, found.value)
  const { put, drop, erased } = rewriteRecord(record, changes)
  if (record?.isDamaged && (drop || put.some(({ key }) => key === record.key))) keepAside(steps, session, lane, record.key, found?.value)
  if (record !== undefined && drop) steps.store('entries').delete([session, lane, record.key])
  putRecords(steps, session, lane, put)
  dropBodies(steps, ranges, session, lane, erased)
}

/** Joins the small records of a lane, from this key on. */
export function packLane(steps: WriteSteps, ranges: KeyRanges, session: number, lane: number, from: string): void {
  const store = steps.store('entries')
  const range = ranges.lane(session, lane, from, '~')
  let keys: readonly IDBValidKey[] = []
  steps.read(store.getAllKeys(range), (found) => {
    keys = found
  })
  const pack = (values: readonly unknown[]): void => {
    const records = values.map((value, i) => {
      const record = readRecordValue((keys[i] as RecordKey)[2], value)
      return record.isDamaged ? undefined : record
    })
    const { put, drop } = packRecords(records)
    for (const key of drop) store.delete([session, lane, key])
    putRecords(steps, session, lane, put)
  }
  // Records that can't be fetched together stay as they are: packing saves time, nothing else.
  steps.attempt<unknown[]>(store.getAll(range), pack, () => undefined)
}
