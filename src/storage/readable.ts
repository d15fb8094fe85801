import type { HotRow } from '../contract/rows.ts'
import { isPackedEntry, type PackedEntry, place } from './packed-entry.ts'

/** What could be read of a record. */
export interface ReadRecord {
  readonly key: string
  readonly entries: readonly PackedEntry[]
  /** Whether a part of it, or all, could not be read. */
  readonly isDamaged: boolean
}

/** Reads entries that anything may have happened to: those of the wrong shape or in the wrong place are left out. */
export function readRecord(key: string, stored: unknown): ReadRecord {
  if (!Array.isArray(stored)) return { key, entries: [], isDamaged: true }
  let last = ''
  const isInPlace = (entry: unknown): entry is PackedEntry => {
    if (!isPackedEntry(entry) || entry[place.order] <= last || entry[place.order] < key) return false
    last = entry[place.order]
    return true
  }
  const entries = stored.filter(isInPlace)
  return { key, entries, isDamaged: entries.length === 0 || entries.length < stored.length }
}

/** Whether a stored value is a hot row, as far as storage needs it. */
export function isHotRow(row: unknown): row is HotRow {
  if (typeof row !== 'object' || row === null) return false
  const { key, session, version } = row as Partial<HotRow>
  return typeof key === 'string' && typeof session === 'number' && typeof version === 'number'
}
