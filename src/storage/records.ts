import { recordCapacity } from '../contract/backend.ts'
import { pushAll } from '../domain/push-all.ts'
import type { LaneStep } from './lane-steps.ts'
import { type PackedEntry, place, withEdit } from './packed-entry.ts'

/**
 * Up to {@link recordCapacity} neighbouring entries of one lane, ascending; the key is the first order. The records of
 * a lane never overlap (law B3).
 */
export interface EntryRecord {
  readonly key: string
  readonly entries: readonly PackedEntry[]
}

/**
 * About how much data one record holds. Chromium moves a value over 64 KiB (compressed) into a file of its own, which
 * is slow, and whose loss takes the whole value with it.
 */
export const recordBytes = 128 * 1024

/** The result of a change for one record. */
export interface Rewrite {
  /** Records to write in place of the old one. */
  readonly put: readonly EntryRecord[]
  /** Whether the old record is gone: none of `put` has its key. */
  readonly drop: boolean
  /** Old entries that are erased. */
  readonly erased: readonly PackedEntry[]
}

/** Data over this many bytes is stored outside its record, where the backend has another place for it. */
export const bodyBytes = 32 * 1024

function weight(entry: PackedEntry): number {
  return entry[place.bytes] > bodyBytes ? 0 : entry[place.bytes]
}

/** Cuts entries into full records, and puts the rest into the last one. */
export function cutRecords(entries: readonly PackedEntry[], capacity = recordCapacity): EntryRecord[] {
  const records: EntryRecord[] = []
  let start = 0
  let bytes = 0
  const close = (end: number): void => {
    if (end > start) records.push({ key: entries[start]![place.order], entries: entries.slice(start, end) })
    start = end
    bytes = 0
  }
  entries.forEach((entry, i) => {
    if (i - start === capacity || bytes + weight(entry) > recordBytes) close(i)
    bytes += weight(entry)
  })
  close(entries.length)
  return records
}

/** Cuts entries into records of about equal size, so that the next insert finds room. */
function splitEvenly(entries: readonly PackedEntry[]): EntryRecord[] {
  const count = Math.ceil(entries.length / recordCapacity)
  return count === 0 ? [] : cutRecords(entries, Math.ceil(entries.length / count))
}

/**
 * Applies steps to the record that they belong to: its key is the greatest at or below their orders, and all steps lie
 * before the next record. An insert of an existing order is ignored; so are edits and erasures of missing orders.
 *
 * @param record - absent when the steps come before every record
 * @param steps - ascending by order, one for each
 */
export function rewriteRecord(record: EntryRecord | undefined, steps: readonly LaneStep[]): Rewrite {
  const before = record?.entries ?? []
  const after: PackedEntry[] = []
  const erased: PackedEntry[] = []
  let changed = false
  let next = 0
  const keepUpTo = (order: string | undefined): void => {
    while (next < before.length && (order === undefined || before[next]![place.order] < order))
      after.push(before[next++]!)
  }
  const take = (order: string): PackedEntry | undefined =>
    before[next]?.[place.order] === order ? before[next++] : undefined
  const last = before.at(-1)?.[place.order] ?? ''
  const beyond: PackedEntry[] = []
  for (const { order, insert, edit, erase } of steps) {
    keepUpTo(order)
    const stored = take(order)
    const base = stored ?? insert
    if (base === undefined) continue
    const entry = erase ? undefined : edit === undefined ? base : withEdit(base, edit)
    changed ||= stored === undefined ? entry !== undefined && order < last : entry !== stored
    if (entry !== undefined) (order > last ? beyond : after).push(entry)
    else if (stored !== undefined) erased.push(stored)
  }
  keepUpTo(undefined)
  // Entries that only follow the record do not change it: rewriting it would cost more than another record.
  if (!changed) return { put: cutRecords(beyond), drop: false, erased }
  const put = splitEvenly([...after, ...beyond])
  return { put, drop: record !== undefined && !put.some(({ key }) => key === record.key), erased }
}

function isFull({ entries }: EntryRecord): boolean {
  return entries.length >= recordCapacity || entries.reduce((sum, entry) => sum + weight(entry), 0) > recordBytes / 2
}

/**
 * Joins neighbouring small records into full ones. @returns the records to write, and the keys of those that they
 * replace
 *
 * @param records - ascending; `undefined` for one that can't be read completely, across which nothing is joined
 */
export function packRecords(records: readonly (EntryRecord | undefined)[]): {
  readonly put: readonly EntryRecord[]
  readonly drop: readonly string[]
} {
  const put: EntryRecord[] = []
  const drop: string[] = []
  let run: EntryRecord[] = []
  const join = (): void => {
    const joined = cutRecords(run.flatMap(({ entries }) => entries))
    const keys = new Set(joined.map(({ key }) => key))
    if (joined.length < run.length) {
      pushAll(
        put,
        joined.filter(
          ({ key, entries }) => run.find((record) => record.key === key)?.entries.length !== entries.length,
        ),
      )
      pushAll(
        drop,
        run.map(({ key }) => key).filter((key) => !keys.has(key)),
      )
    }
    run = []
  }
  for (const record of records) {
    if (record === undefined || isFull(record)) join()
    else run.push(record)
  }
  join()
  return { put, drop }
}
