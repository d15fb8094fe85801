import type { JsonObject } from '../../contract/json.ts'
import type { StoredEntry } from '../../contract/rows.ts'
import { type PackedEntry, place, unpackEntry, withBodies } from '../packed-entry.ts'
import type { ReadRecord } from '../readable.ts'
import { bodyKey, missingBodies } from './record-value.ts'
import type { Steps } from './transaction.ts'

/** Unpacks the entries of records together with their parts in `bodies`. Names the records with missing parts. */
export function restoreEntries(
  steps: Steps,
  session: number,
  lane: number,
  records: readonly ReadRecord[],
  use: (entries: readonly StoredEntry[], unreadable: readonly string[]) => void,
): void {
  const unreadable = new Set(records.filter(({ isDamaged }) => isDamaged).map(({ key }) => key))
  const entries: (StoredEntry | undefined)[] = []
  let waiting = 1
  const done = (): void => {
    waiting--
    if (waiting === 0)
      use(
        entries.filter((entry) => entry !== undefined),
        [...unreadable],
      )
  }
  for (const { key, entries: packed } of records) {
    for (const entry of packed) {
      const unpacked = unpackEntry(entry)
      const at = entries.push(unpacked) - 1
      if (unpacked !== undefined) continue
      waiting++
      fetchBodies(steps, session, lane, entry, (restored) => {
        entries[at] = restored
        if (restored === undefined) unreadable.add(key)
        done()
      })
    }
  }
  done()
}

function fetchBodies(
  steps: Steps,
  session: number,
  lane: number,
  packed: PackedEntry,
  use: (entry: StoredEntry | undefined) => void,
): void {
  const missing = missingBodies(packed)
  let entry = packed
  let waiting = missing.length
  for (const { isEdit } of missing) {
    const put = (body: unknown): void => {
      if (isObject(body)) entry = putBack(entry, isEdit, body)
      waiting--
      if (waiting === 0) use(unpackEntry(entry))
    }
    steps.attempt(steps.store('bodies').get(bodyKey(session, lane, packed[place.order], isEdit)), put, () =>
      put(undefined),
    )
  }
}

function putBack(entry: PackedEntry, isEdit: boolean, body: JsonObject): PackedEntry {
  return isEdit ? withBodies(entry, undefined, body) : withBodies(entry, body, undefined)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
