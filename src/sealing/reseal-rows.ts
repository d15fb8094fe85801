import type { DraftChunk } from '../contract/change.ts'
import type { HotRow, OperationRow, StoredEntry } from '../contract/rows.ts'
import type { RawRow, RowAccess } from '../storage/indexeddb/row-access.ts'
import type { DetailsRow } from '../storage/indexeddb/schema.ts'
import { keyOfBlob, sealBlob, unsealBlob } from './sealed-blob.ts'
import { keyOfEntry, sealEntry, sealedText, unsealEntry } from './sealed-entry.ts'
import { isSealed, sealChunk, sealCold, sealHot, sealOperation, unsealChunk, unsealCold, unsealHot, unsealOperation } from './sealed-rows.ts'
import { keyOfSealed, type Sealer, Unsealable } from './sealer.ts'

/** Rows looked at together. */
const pageSize = 32

export interface ResealCounts {
  rewritten: number
  /** Those that somebody else changed meanwhile. */
  conflicts: number
  unreadable: number
  seen: number
}

/** What a row is to be; `undefined`: as it is. */
type Change = (row: RawRow) => Promise<unknown>

const keyOf = (row: unknown): string => (isSealed(row) ? keyOfSealed(sealedText(row)) : '')

/**
 * Writes everything anew that is not sealed with the current key, each in a transaction of its own: others go on working, and what a death
 * leaves is found by its key the next time.
 *
 * @param breathe - called after each page; throws to end it
 */
export async function resealRows(rows: RowAccess, sealer: Sealer, counts: ResealCounts, breathe: () => Promise<void>): Promise<void> {
  const current = sealer.keyId()
  const isDone = (row: unknown): boolean => keyOf(row) === current

  const changes: readonly (readonly [store: 'sessions' | 'details' | 'operations' | 'drafts' | 'blobs' | 'aside', change: Change])[] = [
    ['details', async ({ key, value }) => {
      if (isDone(value)) return undefined
      const { key: owner, ...cold } = value as DetailsRow
      const plain = await unsealCold(sealer, key as number, cold)
      const row = sealer.isSealing() ? await sealCold(sealer, key as number, plain) : plain
      return owner === undefined ? row : { ...row, key: owner }
    }],
    ['sessions', async ({ value }) => {
      if (isDone(value)) return undefined
      const plain = await unsealHot(sealer, value as HotRow)
      // Who holds it plain must not go on without knowing.
      return sealer.isSealing() ? sealHot(sealer, isSealed(value) ? plain : { ...plain, version: plain.version + 1 }) : plain
    }],
    ['operations', async ({ key, value }) => {
      const [session] = key as [number]
      if (!Array.isArray(value) || value.every(isDone)) return undefined
      const plain = await Promise.all((value as OperationRow[]).map((one) => unsealOperation(sealer, session, one)))
      return sealer.isSealing() ? Promise.all(plain.map((one) => sealOperation(sealer, session, one))) : plain
    }],
    ['drafts', async ({ key, value }) => {
      const [session, draft, n] = key as [number, string, number]
      if (n < 0 || isDone(value)) return undefined
      const plain = await unsealChunk(sealer, session, draft, n, value as DraftChunk)
      return sealer.isSealing() ? sealChunk(sealer, session, draft, n, plain) : plain
    }],
    ['blobs', async ({ key, value }) => {
      const { size, blob } = value as { size: number; blob: Blob }
      if (((await keyOfBlob(blob)) ?? '') === current) return undefined
      const plain = await unsealBlob(sealer, key as string, blob)
      return { size, blob: sealer.isSealing() ? await sealBlob(sealer, key as string, plain) : plain }
    }],
    // What could not be read, in whatever form: it stays a list, as more may be put to it.
    ['aside', async ({ key, value }) => {
      const place = `aside ${JSON.stringify(key)}`
      const list = Array.isArray(value) ? value : [value]
      if (list.every(isDone)) return undefined
      const plain = (await Promise.all(list.map(async (one) => (isSealed(one) ? (JSON.parse(await sealer.open(sealedText(one), place)) as unknown[]) : [one])))).flat()
      return sealer.isSealing() ? [{ sealed: await sealer.seal(JSON.stringify(plain), place) }] : plain
    }],
  ]

  const entryDone = (entry: StoredEntry): boolean => {
    const key = keyOfEntry(entry)
    const edited = entry.edit?.value
    const editKey = edited === undefined || edited === null ? current : entry.edit!.id.startsWith('*') ? keyOf(edited) : ''
    return key === current && editKey === current
  }

  for (let after: IDBValidKey | undefined; ; ) {
    const records = await rows.readRecords(after, pageSize)
    for (const record of records) {
      const { entries, key } = record
      counts.seen++
      if (entries === undefined) counts.unreadable++
      else if (!entries.every(entryDone)) {
        await attempt(counts, async () => {
          const plain = await Promise.all(entries.map((entry) => unsealEntry(sealer, key[0], entry)))
          return rows.replaceRecord(record, sealer.isSealing() ? await Promise.all(plain.map((entry) => sealEntry(sealer, key[0], entry))) : plain)
        })
      }
    }
    await breathe()
    if (records.length < pageSize) break
    after = records.at(-1)!.key
  }
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

/** @param act - tells whether a row was written; `undefined`: it was as it should be */
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
