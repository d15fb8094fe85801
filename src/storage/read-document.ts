import type { RangeRead, RangeResult, StoredDraft } from '../contract/backend.ts'
import type { StoredEntry } from '../contract/rows.ts'
import { packedMid, unpackEntry } from './packed-entry.ts'
import { type DocumentRecord, recordAt, type SessionDocument } from './session-document.ts'

/** {@link StorageBackend.readRange} over a document. */
export function readDocumentRange(document: SessionDocument, read: RangeRead): RangeResult {
  const { from, to, reverse = false, limit = Number.POSITIVE_INFINITY } = read
  const records = document.lanes.get(read.lane) ?? []
  const touched = records.slice(Math.max(0, recordAt(records, from)), recordAt(records, to) + 1)
  const found: StoredEntry[][] = []
  const unreadable: string[] = []
  let count = 0
  for (const record of reverse ? touched.toReversed() : touched) {
    const entries = entriesBetween(record, from, to)
    if (count >= limit && (entries.length > 0 || 'damaged' in record))
      return { entries: inOrder(found, reverse), more: true, unreadable }
    if ('damaged' in record) unreadable.push(record.key)
    found.push(entries)
    count += entries.length
  }
  return { entries: inOrder(found, reverse), more: false, unreadable }
}

function inOrder(pages: readonly StoredEntry[][], reverse: boolean): StoredEntry[] {
  return (reverse ? pages.toReversed() : pages).flat()
}

function entriesBetween({ entries }: DocumentRecord, from: string, to: string): StoredEntry[] {
  return entries.flatMap((packed) => {
    const entry = unpackEntry(packed)
    return entry === undefined || entry.order < from || entry.order > to ? [] : [entry]
  })
}

/** {@link StorageBackend.findByMid} over a document. */
export function documentEntriesByMid(document: SessionDocument, mids: readonly string[]): StoredEntry[] {
  const wanted = new Set(mids)
  const found: StoredEntry[] = []
  for (const records of document.lanes.values()) {
    for (const { entries } of records) {
      for (const packed of entries) {
        const mid = packedMid(packed)
        const entry = mid !== undefined && wanted.has(mid) ? unpackEntry(packed) : undefined
        if (entry !== undefined) found.push(entry)
      }
    }
  }
  return found
}

/** {@link StorageBackend.loadDrafts} over a document. */
export function documentDrafts({ drafts }: SessionDocument): StoredDraft[] {
  return [...drafts.values()].map(({ row, chunks }) => ({
    row,
    chunks: [...chunks].map(([n, chunk]) => ({ n, chunk })).sort((a, b) => a.n - b.n),
  }))
}
