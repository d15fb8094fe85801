import type { JsonObject } from '../../contract/json.ts'
import { type BodyMark, isBodyMark, type PackedEntry, packedMid, place, withBodies } from '../packed-entry.ts'
import { type ReadRecord, readRecord } from '../readable.ts'
import { bodyBytes } from '../records.ts'

/** A value in `entries`. `mids` feeds the sparse index, and exists only when an entry has a host message id. */
export interface RecordValue {
  readonly e: readonly PackedEntry[]
  readonly mids?: readonly (readonly [session: number, mid: string])[]
}

/** The stored form of a record. Data that is too large must have been taken out. */
export function recordValue(session: number, entries: readonly PackedEntry[]): RecordValue {
  const mids = entries.flatMap((entry) => packedMid(entry) ?? [])
  return mids.length === 0 ? { e: entries } : { e: entries, mids: [...new Set(mids)].map((mid) => [session, mid]) }
}

/** Reads a value in `entries`, whatever it is. */
export function readRecordValue(key: string, value: unknown): ReadRecord {
  return readRecord(key, typeof value === 'object' && value !== null && 'e' in value ? value.e : undefined)
}

/** A part of an entry that is stored in `bodies`. */
export interface Body {
  readonly order: string
  readonly isEdit: boolean
  readonly value: JsonObject
}

/** Takes the parts out of an entry that are too large. */
export function detachBodies(entry: PackedEntry): { readonly entry: PackedEntry; readonly bodies: readonly Body[] } {
  const order = entry[place.order]
  const data = entry[place.data]
  const edited = entry[place.edit]?.[2]
  const bodies: Body[] = []
  if (!isBodyMark(data) && entry[place.bytes] > bodyBytes) bodies.push({ order, isEdit: false, value: data })
  if (edited && !isBodyMark(edited) && JSON.stringify(edited).length > bodyBytes)
    bodies.push({ order, isEdit: true, value: edited })
  if (bodies.length === 0) return { entry, bodies }
  const mark: BodyMark = packedMid(entry) ?? 0
  return {
    entry: withBodies(
      entry,
      bodies.some(({ isEdit }) => !isEdit) ? mark : undefined,
      bodies.some(({ isEdit }) => isEdit) ? 0 : undefined,
    ),
    bodies,
  }
}

/** The parts of an entry that are stored in `bodies`. */
export function missingBodies(entry: PackedEntry): readonly { readonly isEdit: boolean }[] {
  const missing: { isEdit: boolean }[] = []
  if (isBodyMark(entry[place.data])) missing.push({ isEdit: false })
  if (isBodyMark(entry[place.edit]?.[2])) missing.push({ isEdit: true })
  return missing
}

/** Key of a part in `bodies`. */
export function bodyKey(session: number, lane: number, order: string, isEdit: boolean): IDBValidKey {
  return isEdit ? [session, lane, order, 1] : [session, lane, order]
}
