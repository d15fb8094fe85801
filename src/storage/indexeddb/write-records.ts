import { isBodyMark, type PackedEntry, place } from '../packed-entry.ts'
import type { EntryRecord } from '../records.ts'
import type { KeyRanges } from './record-keys.ts'
import { bodyKey, detachBodies, recordValue } from './record-value.ts'
import type { Steps, WriteSteps } from './transaction.ts'

/** Writes records, and replaces those with the same keys. */
export function putRecords(steps: Steps, session: number, lane: number, records: readonly EntryRecord[]): void {
  const store = steps.store('entries')
  for (const { key, entries } of records) {
    const detached = entries.map(detachBodies)
    for (const { bodies } of detached) {
      for (const { order, isEdit, value } of bodies)
        steps.store('bodies').put(value, bodyKey(session, lane, order, isEdit))
    }
    store.put(
      recordValue(
        session,
        detached.map(({ entry }) => entry),
      ),
      [session, lane, key],
    )
  }
}

/** Erases the parts of erased entries that were stored outside their records. */
export function dropBodies(
  steps: Steps,
  ranges: KeyRanges,
  session: number,
  lane: number,
  erased: readonly PackedEntry[],
): void {
  for (const entry of erased) {
    if (isBodyMark(entry[place.data]) || entry[place.edit] !== undefined)
      steps.store('bodies').delete(ranges.bodies(session, lane, entry[place.order]))
  }
}

/** Keeps the stored value of a record, together with earlier values at the same place. */
export function keepAside(steps: WriteSteps, session: number, lane: number, key: string, found: unknown): void {
  const store = steps.store('aside')
  steps.read<unknown>(store.get([session, lane, key]), (before) => {
    store.put([...(Array.isArray(before) ? before : []), found], [session, lane, key])
  })
}
