import { place } from '../packed-entry.ts'
import type { ReadRecord } from '../readable.ts'
import { cutRecords } from '../records.ts'
import { type KeyRanges, orderOf } from './record-keys.ts'
import { bodyKey, missingBodies, readRecordValue } from './record-value.ts'
import { isValueLost } from './storage-error.ts'
import type { WriteSteps } from './transaction.ts'
import { keepAside, putRecords } from './write-records.ts'

/**
 * {@link StorageBackend.setAside}: the stored value moves to `aside`, and the readable entries stay. A record that can
 * be read completely is left alone.
 *
 * @param order - order of the first entry of the record, or of any entry in it
 */
export function setAside(
  steps: WriteSteps,
  ranges: KeyRanges,
  session: number,
  lane: number,
  order: string,
  broken: readonly string[] = [],
): void {
  setRecordAside(steps, session, lane, order, new Set(broken), () => {
    steps.read(steps.store('entries').openKeyCursor(ranges.lane(session, lane, '', order), 'prev'), (cursor) => {
      if (cursor !== null)
        setRecordAside(steps, session, lane, orderOf(cursor.primaryKey), new Set(broken), () => undefined)
    })
  })
}

function setRecordAside(
  steps: WriteSteps,
  session: number,
  lane: number,
  key: string,
  broken: ReadonlySet<string>,
  onMissing: () => void,
): void {
  const store = steps.store('entries')
  const move = (record: ReadRecord, value: unknown): void => {
    keepAside(steps, session, lane, key, value)
    store.delete([session, lane, key])
    putRecords(steps, session, lane, cutRecords(record.entries))
  }
  const check = (value: unknown): void => {
    if (value === undefined) return onMissing()
    const record = readRecordValue(key, value)
    wholeEntries(steps, session, lane, record, broken, (whole) => {
      if (whole.isDamaged) move(whole, value)
    })
  }
  steps.attempt<unknown>(store.get([session, lane, key]), check, (error) => {
    if (!isValueLost(error)) throw error
    // There is nothing to keep. Only its space is freed.
    store.delete([session, lane, key])
  })
}

/** The record without the entries that lack a part outside of it. */
function wholeEntries(
  steps: WriteSteps,
  session: number,
  lane: number,
  record: ReadRecord,
  known: ReadonlySet<string>,
  use: (record: ReadRecord) => void,
): void {
  const broken = new Set(known)
  let waiting = 1
  const done = (): void => {
    waiting--
    if (waiting > 0) return
    const entries = record.entries.filter((entry) => !broken.has(entry[place.order]))
    use({ ...record, entries, isDamaged: record.isDamaged || entries.length < record.entries.length })
  }
  for (const entry of record.entries) {
    for (const { isEdit } of missingBodies(entry)) {
      waiting++
      const order = entry[place.order]
      const look = (body: unknown): void => {
        if (typeof body !== 'object' || body === null) broken.add(order)
        done()
      }
      steps.attempt<unknown>(steps.store('bodies').get(bodyKey(session, lane, order, isEdit)), look, (error) => {
        if (!isValueLost(error)) throw error
        look(undefined)
      })
    }
  }
  done()
}
