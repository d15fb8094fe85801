import type { JsonObject } from '../../contract/json.ts'
import type { StoredEntry } from '../../contract/rows.ts'
import { type PackedEntry, place, unpackEntry, withBodies } from '../packed-entry.ts'
import type { ReadRecord } from '../readable.ts'
import { bodyKey, missingBodies } from './record-value.ts'
import type { Steps } from './transaction.ts'

/** Unpacks the entries of records, with what lies outside of them put back. Names the records of which something is missing. */
export function restoreEntries(
  steps: Steps,
  session: number,
  lane: number,
  records: readonly ReadRecord[],
  use: (entries: readonly StoredEntry[], unreadable: readonly string[]) => void,
): void {
  const unreadable = new Set(records.filter(({ isDamaged }) => isDamaged).map(({ key }) => key))
  const packed = records.flatMap(({ key, entries }) => entries.map((entry) => ({ key, entry })))
  let waiting = 1
  const done = (): void => {
    waiting--
    if (waiting > 0) return
    const entries: StoredEntry[] = []
    for (const { key, entry } of packed) {
      const unpacked = unpackEntry(entry)
      if (unpacked === undefined) unreadable.add(key)
      else entries.push(unpacked)
    }
    use(entries, [...unreadable])
  }
  for (const slot of packed) {
    for (const { isEdit } of missingBodies(slot.entry)) {
      waiting++
      const put = (body: unknown): void => {
        if (isObject(body)) slot.entry = putBack(slot.entry, isEdit, body)
        done()
      }
      steps.attempt(steps.store('bodies').get(bodyKey(session, lane, slot.entry[place.order], isEdit)), put, () => put(undefined))
    }
  }
  done()
}

function putBack(entry: PackedEntry, isEdit: boolean, body: JsonObject): PackedEntry {
  return isEdit ? withBodies(entry, undefined, body) : withBodies(entry, body, undefined)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
