import type { ColdRow, HotRow } from '../contract/rows.ts'
import { isPackedEntry, type PackedEntry, place } from './packed-entry.ts'

/** The readable part of a record. */
export interface ReadRecord {
  readonly key: string
  readonly entries: readonly PackedEntry[]
  /** Whether some or all of it could not be read. */
  readonly isDamaged: boolean
}

/** Reads entries that may be damaged. Those with a wrong shape or at a wrong place are left out. */
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

/** Fields of the rows that are objects or lists. A value that has them all counts as a row. */
const hotFields = [
  'clock',
  'ahead',
  'transcript',
  'context',
  'pack',
  'recent',
] as const satisfies readonly (keyof HotRow)[]
const coldFields = [
  'vv',
  'lanes',
  'branches',
  'heads',
  'cuts',
  'compactions',
  'checkpoints',
  'fields',
  'targets',
  'newer',
  'pending',
  'purged',
] as const satisfies readonly (keyof ColdRow)[]

/**
 * Whether a stored value has all fields of a hot row that storage and engine rely on. A sealed row has only those that
 * storage reads.
 */
export function isHotRow(row: unknown): row is HotRow {
  if (!isObject(row)) return false
  const { key, session, version, entries, head } = row as Partial<HotRow>
  if (isSealed(row)) return typeof key === 'string' && typeof session === 'number' && typeof version === 'number'
  const isNamed = typeof key === 'string' && typeof head === 'string'
  return (
    isNamed &&
    [session, version, entries].every((value) => typeof value === 'number') &&
    hotFields.every((field) => isObject(row[field]))
  )
}

/** Whether a stored value is a cold row, by the same rules. */
export function isColdRow(row: unknown): row is ColdRow {
  if (!isObject(row) || typeof row['version'] !== 'number') return false
  return isSealed(row)
    ? isObject(row['lanes']) && isObject(row['purged'])
    : coldFields.every((field) => isObject(row[field]))
}

const isSealed = (row: Readonly<Record<string, unknown>>): boolean => typeof row['sealed'] === 'string'

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
