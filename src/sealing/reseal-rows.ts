import type { StoredEntry } from '../contract/rows.ts'
import type { RowAccess } from '../storage/indexeddb/row-access.ts'
import { keyOfRow, resealChanges } from './reseal-changes.ts'
import { keyOfEntry, sealEntry, unsealEntry } from './sealed-entry.ts'
import { type Sealer, Unsealable } from './sealer.ts'

/** How many rows are read at a time. */
const pageSize = 32

export interface ResealCounts {
  rewritten: number
  /** Rows that another tab changed in the meantime. */
  conflicts: number
  unreadable: number
  seen: number
}

/**
 * Rewrites every row that is not sealed with the current key. Each row has its own transaction, so that other tabs can
 * work in the meantime. After an interruption the remaining rows are found by their key.
 *
 * @param breathe - called after each page; throws to cancel
 */
export async function resealRows(
  rows: RowAccess,
  sealer: Sealer,
  counts: ResealCounts,
  breathe: () => Promise<void>,
): Promise<void> {
  const changes = resealChanges(sealer)
  await resealEntries(rows, sealer, counts, breathe)
  for (const [store, change] of changes) {
    for (let after: IDBValidKey | undefined; ; ) {
      const page = await rows.readRows(store, after, pageSize)
      for (const row of page) {
        counts.seen++
        if (row.value === undefined) {
          counts.unreadable++
          continue
        }
        await attempt(counts, async () => {
          const value = await change(row)
          return value === undefined ? undefined : rows.replaceRow(store, row, value)
        })
      }
      await breathe()
      if (page.length < pageSize) break
      after = page.at(-1)!.key
    }
  }
}

async function resealEntries(
  rows: RowAccess,
  sealer: Sealer,
  counts: ResealCounts,
  breathe: () => Promise<void>,
): Promise<void> {
  const current = sealer.keyId()
  const isDone = (entry: StoredEntry): boolean => {
    const edited = entry.edit?.value
    const editKey =
      edited === undefined || edited === null ? current : entry.edit!.id.startsWith('*') ? keyOfRow(edited) : ''
    return keyOfEntry(entry) === current && editKey === current
  }
  for (let after: IDBValidKey | undefined; ; ) {
    const records = await rows.readRecords(after, pageSize)
    for (const record of records) {
      const { entries, key } = record
      counts.seen++
      if (entries === undefined) counts.unreadable++
      else if (!entries.every(isDone)) {
        await attempt(counts, async () => {
          const plain = await Promise.all(entries.map((entry) => unsealEntry(sealer, key[0], entry)))
          const sealed = sealer.isSealing()
            ? await Promise.all(plain.map((entry) => sealEntry(sealer, key[0], entry)))
            : plain
          return rows.replaceRecord(record, sealed)
        })
      }
    }
    await breathe()
    if (records.length < pageSize) break
    after = records.at(-1)!.key
  }
}

/** @param act - resolves with whether a row was written; `undefined` when there was nothing to change */
async function attempt(counts: ResealCounts, act: () => Promise<boolean | undefined>): Promise<void> {
  try {
    const isWritten = await act()
    if (isWritten === true) counts.rewritten++
    else if (isWritten === false) counts.conflicts++
  } catch (error) {
    if (!(error instanceof Unsealable) && (error as Error).name !== 'ChecksumMismatch') throw error
    counts.unreadable++
  }
}
