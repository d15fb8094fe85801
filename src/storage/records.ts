import { recordCapacity } from '../contract/backend.ts'
import type { LaneStep } from './lane-steps.ts'
import { type PackedEntry, place, withEdit } from './packed-entry.ts'
import { pushAll } from '../domain/push-all.ts'

/**
 * Up to {@link recordCapacity} entries of one lane that lie side by side, ascending; the key is the first order. The records of a
 * lane never overlap (law B3).
 */
export interface EntryRecord {
  readonly key: string
  readonly entries: readonly PackedEntry[]
}

/**
 * Data in one record, about. Chromium moves a value over 64 KiB (compressed) into a file of its own, which is slow, and whose loss
 * takes the whole value along.
 */
export const recordBytes = 128 * 1024

/** What a change makes of a record. */
export interface Rewrite {
  /** Records to write, in the place of the one that was there. */
  readonly put: readonly EntryRecord[]
  /** Whether the record that was there is gone: none of `put` has its key. */
  readonly drop: boolean
  /** Entries that were there and are erased. */
  readonly erased: readonly PackedEntry[]
}

/** Data over this many bytes lies outside its record, where the place has somewhere else for it. */
export const bodyBytes = 32 * 1024

function weight(entry: PackedEntry): number {
  return entry[place.bytes] > bodyBytes ? 0 : entry[place.bytes]
}

/** Cuts entries into records: full ones, and what is left over in the last. */
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

/** Cuts entries into records of about equal size, so that the next one to come in between finds room. */
function splitEvenly(entries: readonly PackedEntry[]): EntryRecord[] {
  const count = Math.ceil(entries.length / recordCapacity)
  return count === 0 ? [] : cutRecords(entries, Math.ceil(entries.length / count))
}

/**
 * Applies steps to the record they fall on: its key is the greatest at or below their orders, and all of them lie before the next
 * record. An insert of an order that is there is ignored; so are edits and erasures of orders that are not.
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
    while (next < before.length && (order === undefined || before[next]![place.order] < order)) after.push(before[next++]!)
  }
  const take = (order: string): PackedEntry | undefined => (before[next]?.[place.order] === order ? before[next++] : undefined)
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
  // Entries that only follow the record leave it alone: to write it again would cost more than one record more.
  if (!changed) return { put: cutRecords(beyond), drop: false, erased }
  const put = splitEvenly([...after, ...beyond])
  return { put, drop: record !== undefined && !put.some(({ key }) => key === record.key), erased }
}

function isFull({ entries }: EntryRecord): boolean {
  return entries.length >= recordCapacity || entries.reduce((sum, entry) => sum + weight(entry), 0) > recordBytes / 2
}

/**
 * Joins neighbouring small records into full ones. Gives the records to write, and the keys of those that are in them now.
 *
 * @param records - ascending; `undefined` stands for one that can't be read whole: nothing is joined across it
 */
export function packRecords(records: readonly (EntryRecord | undefined)[]): { readonly put: readonly EntryRecord[]; readonly drop: readonly string[] } {
  const put: EntryRecord[] = []
  const drop: string[] = []
  let run: EntryRecord[] = []
  const join = (): void => {
    const joined = cutRecords(run.flatMap(({ entries }) => entries))
    const keys = new Set(joined.map(({ key }) => key))
    if (joined.length < run.length) {
      pushAll(put, joined.filter(({ key, entries }) => run.find((record) => record.key === key)?.entries.length !== entries.length))
      pushAll(drop, run.map(({ key }) => key).filter((key) => !keys.has(key)))
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
