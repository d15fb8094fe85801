import type { DraftChunk } from '../contract/change.ts'
import type { DraftRow } from '../contract/draft-row.ts'
import type { OperationRow } from '../contract/operation-row.ts'
import type { ColdRow, HotRow } from '../contract/rows.ts'
import type { DraftWrite, SessionWrite } from '../contract/write-batch.ts'
import { orderEnd } from '../domain/order.ts'
import { pushAll } from '../domain/push-all.ts'
import { type LaneStep, laneSteps } from './lane-steps.ts'
import { packEntry } from './packed-entry.ts'
import { cutRecords, type EntryRecord, packRecords, rewriteRecord } from './records.ts'

/** A record in a document. `damaged` holds the stored value of a record that can't be read. */
export interface DocumentRecord extends EntryRecord {
  readonly damaged?: unknown
}

interface DocumentDraft {
  readonly row: DraftRow
  readonly chunks: Map<number, DraftChunk>
}

/** A whole session in one piece, which is how the backends without a database hold it. It is changed in place. */
export interface SessionDocument {
  hot: HotRow
  cold: ColdRow | undefined
  /** The records of each lane, ascending. The records themselves never change. */
  readonly lanes: Map<number, DocumentRecord[]>
  readonly operations: Map<string, OperationRow>
  readonly drafts: Map<string, DocumentDraft>
  /** The stored values of records that were set aside. */
  readonly aside: unknown[]
}

/** The document of an empty session. */
export function createDocument(hot: HotRow): SessionDocument {
  return { hot, cold: undefined, lanes: new Map(), operations: new Map(), drafts: new Map(), aside: [] }
}

/** Applies a write. The caller has checked that it is allowed; nothing in here fails. */
export function applyWrite(document: SessionDocument, write: SessionWrite): void {
  document.hot = write.hot
  if (write.cold !== undefined) document.cold = write.cold
  for (const { lane, entries } of write.append)
    pushAll(laneOf(document, lane), cutRecords(entries.map((entry) => packEntry(entry))))
  for (const [lane, steps] of laneSteps(write)) applySteps(document, laneOf(document, lane), steps)
  if (write.pack !== undefined) packLane(laneOf(document, write.pack.lane), write.pack)
  for (const operation of write.operations) document.operations.set(operation.id, operation)
  pruneOperations(document.operations, write.pruneOperations ?? 0)
  for (const draft of write.drafts) applyDraft(document, draft)
}

function laneOf(document: SessionDocument, lane: number): DocumentRecord[] {
  const records = document.lanes.get(lane) ?? []
  document.lanes.set(lane, records)
  return records
}

/** Index of the record with the greatest key at or below an order; −1 when all come after it. */
export function recordAt(records: readonly EntryRecord[], order: string): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (records[middle]!.key <= order) low = middle + 1
    else high = middle
  }
  return low - 1
}

function applySteps(document: SessionDocument, records: DocumentRecord[], steps: readonly LaneStep[]): void {
  for (let done = 0; done < steps.length; ) {
    const at = recordAt(records, steps[done]!.order)
    const end = records[at + 1]?.key
    const from = done
    while (done < steps.length && (end === undefined || steps[done]!.order < end)) done++
    const record = records[at]
    const { put, drop } = rewriteRecord(record, steps.slice(from, done))
    const isReplaced = record !== undefined && (drop || put.some(({ key }) => key === record.key))
    if (isReplaced && 'damaged' in record) document.aside.push(record.damaged)
    replaceAt(records, isReplaced ? at : at + 1, isReplaced ? 1 : 0, put)
  }
}

/** Replaces records by others, however many they are. */
function replaceAt(records: DocumentRecord[], at: number, count: number, put: readonly DocumentRecord[]): void {
  const behind = records.splice(at).slice(count)
  pushAll(records, put)
  pushAll(records, behind)
}

function packLane(
  records: DocumentRecord[],
  { from, to = orderEnd }: Pick<NonNullable<SessionWrite['pack']>, 'from' | 'to'>,
): void {
  const start = records.findIndex(({ key }) => key >= from)
  if (start < 0) return
  const end = records.findIndex(({ key }) => key >= to)
  const behind = end < 0 ? [] : records.splice(end)
  const packed = packRecords(records.slice(start).map((record) => ('damaged' in record ? undefined : record)))
  const gone = new Set([...packed.drop, ...packed.put.map(({ key }) => key)])
  const kept = records.splice(start).filter(({ key }) => !gone.has(key))
  pushAll(
    records,
    [...kept, ...packed.put].sort((a, b) => (a.key < b.key ? -1 : 1)),
  )
  pushAll(records, behind)
}

function pruneOperations(operations: Map<string, OperationRow>, below: number): void {
  for (const [id, { n }] of operations) if (n < below) operations.delete(id)
}

function applyDraft({ drafts }: SessionDocument, write: DraftWrite): void {
  if ('put' in write)
    drafts.set(write.put.id, { row: write.put, chunks: drafts.get(write.put.id)?.chunks ?? new Map() })
  else if ('drop' in write) drafts.delete(write.drop)
  else drafts.get(write.draft)?.chunks.set(write.n, write.chunk)
}

/** Moves the damaged part of a record out of its lane, and leaves the entries that can be read. */
export function setRecordAside(document: SessionDocument, lane: number, key: string): void {
  const records = document.lanes.get(lane) ?? []
  const at = records.findIndex((record) => record.key === key)
  const record = records[at]
  if (record === undefined || !('damaged' in record)) return
  document.aside.push(record.damaged)
  replaceAt(records, at, 1, cutRecords(record.entries))
}
