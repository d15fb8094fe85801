import type { BlobReference } from './blob-references.ts'
import type { DraftRow } from './draft-row.ts'
import type { OperationRow } from './operation-row.ts'
import type { RowSalvage } from './row-salvage.ts'
import type { HotRow, SessionRows, StoredEntry } from './rows.ts'
import type { ReadPlaces } from './session-places.ts'
import type { CollectionUsage } from './store/collections.ts'
import type { PurgeRecord } from './store/log-exchange.ts'
import type { UsageReport } from './store/store-upkeep.ts'
import type { Durability } from './store/write-options.ts'
import type { FoundRow, RowsRead, RowsResult, StoredRow } from './stored-row.ts'
import type { LeaderTerm, TermClaim } from './term.ts'
import type { CommitOutcome, StoredChunk, WriteBatch } from './write-batch.ts'

/** Lane of control entries. Branch lanes count from 0 (main). */
export const controlLane = -1

/**
 * Lane of the sums over the rows of a branch's lane, block by block: level 0 sums up rows, level 1 sums up blocks of
 * level 0. Sums can be computed from the rows again, so they are in no export and no mirror, and a backend need not
 * keep them.
 */
export function sumsLane(lane: number, level: 0 | 1): number {
  return -2 - 3 * lane - level
}

/** Lane of what the line of a branch had seen at some positions of the branch's lane. */
export function seenLane(lane: number): number {
  return -4 - 3 * lane
}

/** The largest number of entries in one record. */
export const recordCapacity = 64

/** How long bytes that no entry names are kept, because the message they belong to may still be written: a day. */
export const blobGraceMs = 24 * 60 * 60 * 1000

/** Entries of one lane between two orders, both inclusive (`''` and `'~'` are the ends). */
interface LaneRange {
  readonly session: number
  readonly lane: number
  readonly from: string
  readonly to: string
}

export interface RangeRead extends LaneRange {
  /** Read from the end instead of the start. Entries are returned in ascending order either way. */
  readonly reverse?: boolean
  /** Stop after at least this many entries. Whole records are returned, so there may be more. */
  readonly limit?: number
  /**
   * Where small records begin (`PackState.from`), which is beyond the range when it has none: a read from the end may
   * fetch them all at once. It affects speed only.
   */
  readonly small?: string
}

export interface RangeResult {
  readonly entries: readonly StoredEntry[]
  /** Whether the range has more entries beyond those returned, in the direction of reading. */
  readonly more: boolean
  /** Keys (first orders) of records that could not be read completely. Their readable entries are in `entries`. */
  readonly unreadable: readonly string[]
}

export interface StoredDraft {
  readonly row: DraftRow
  /** In the order of writing, at most one for each `n`. */
  readonly chunks: readonly { readonly n: number; readonly chunk: StoredChunk }[]
}

export interface BackendUsage {
  /** How much is stored of each kind, where this is known without reading it. */
  readonly kinds?: UsageReport['kinds']
  readonly blobBytes: number
  readonly draftBytes: number
  readonly originBytes?: number
  readonly quotaBytes?: number
}

/**
 * The interface between the engine and a place that stores data (Aixgo calls it a backend, too). Plain storage: no
 * session semantics, no clock. Every method rejects with StorageClosed after `close`. The engine may change results;
 * the backend does not keep references to arguments.
 *
 * Laws: B1 a batch is stored completely or not at all, and every reader sees it once `commit` resolves. B2 a batch
 * planned on another version is refused as `stale` and changes nothing. B3 records never overlap: reading a range
 * returns each of its entries once, in order. B4 what cannot be read is listed in `unreadable`, and never throws. B5
 * `strict` commits survive power loss where the place can promise it, and so does everything stored before in the same
 * place. B6 a batch with a part that names another term than the stored one is refused (NotLeader) and changes nothing;
 * a claim is stored only if the term it replaces is the stored one, and terms never decrease. B7 references change in
 * the same commit as the entries, and are deleted with their session. A blob is deleted with the last session that
 * names it, unless it is waiting: since it was put, or since a session that still exists stopped naming it. It is never
 * deleted while an entry or a draft names it. B8 after the first call of `listPurges`, the vectors of erased sessions
 * are remembered in the same commit, with those of one key joined (and the latest of their lives), until
 * `forgetPurges`. B9 the ops on rows are applied in their order. A batch whose operation on rows is stored already
 * changes nothing, and has the first outcome; with other content it is refused (OperationConflict). At least the newest
 * 256 such operations are remembered. B10 in a place with stamps, each commit that changes rows has a higher stamp than
 * all before it, and names that of the one before; a commit that changes none has no stamp.
 */
export interface CoreBackend {
  /**
   * What kind of storage it is, for `health()`: `memory`, `indexeddb`, `web-storage`, or a name that a custom backend
   * chooses.
   */
  readonly kind: string
  loadSession(key: string): Promise<SessionRows | undefined>
  /**
   * Every hot row, deleted sessions included, in any order.
   *
   * @param onDamaged - receives the key of each session that is missing from the result because its row can't be read
   */
  listSessions(onDamaged?: (key: string) => void): Promise<readonly HotRow[]>
  /** Present where a session's rows may be damaged while its entries are not. */
  readonly salvage?: RowSalvage
  /** The key of the session that owns an alias. */
  findAlias(alias: string): Promise<string | undefined>
  readRange(read: RangeRead): Promise<RangeResult>
  /**
   * Present where this is faster than {@link loadSession} and {@link readRange} for each session. A session that can't
   * be read is returned as `undefined`.
   */
  readonly readPlaces?: ReadPlaces
  /** Entries that carry one of these host message ids (`data.mid`). */
  findByMid(session: number, mids: readonly string[]): Promise<readonly StoredEntry[]>
  findOperation(session: number, id: string): Promise<OperationRow | undefined>
  /**
   * Whether a call has erased a session. A place that no worker works on is never asked that, and has none. Of many
   * erasures only the last ones are remembered.
   */
  readonly findErasure?: (call: string) => Promise<boolean>
  loadDrafts(session: number): Promise<readonly StoredDraft[]>
  /** The rows of all drafts of all sessions, without their chunks. */
  listDrafts(): Promise<readonly DraftRow[]>
  /** The rows of a collection under these keys, in their order. */
  getRows(collection: string, keys: readonly string[]): Promise<readonly FoundRow[]>
  /** A page may end before its limit, because of the size of its values, but not without a row while there are more. */
  rangeRows(read: RowsRead): Promise<RowsResult>
  commit(batch: WriteBatch, durability: Durability): Promise<CommitOutcome>
  /**
   * Stores a claim if the term it replaces is still the stored one; without a claim it only reads.
   *
   * @returns the term that is stored afterwards
   */
  claimTerm(claim?: TermClaim): Promise<LeaderTerm>
  /**
   * Makes every commit in this place, whoever made it, survive power loss (B5). Absent where the place can't promise
   * that.
   */
  readonly flush?: () => Promise<void>
  /** Stores in the database what only a journal has, so that other workers see it. Absent where there is no journal. */
  readonly fold?: () => Promise<void>
  /**
   * @param at - milliseconds since 1970: from when on the blob waits for an entry to name it
   * @param size - bytes of its content, if it is sealed and therefore larger
   * @param sealedWith - generation of the keyring that it was sealed with; it rejects if another one is stored
   */
  putBlob(hash: string, blob: Blob, at: number, size?: number, sealedWith?: number): Promise<void>
  /** @throws ChecksumMismatch when it exists but can't be read */
  getBlob(hash: string): Promise<Blob | undefined>
  close(): Promise<void>
}

/** A {@link CoreBackend} with the methods that only jobs need. */
export interface StorageBackend extends CoreBackend {
  /**
   * Moves an unreadable record out of the way. Its bytes are kept where the place is able to.
   *
   * @param record - its key, or an order in it
   * @param broken - orders of entries that look intact but are not
   */
  setAside(session: number, lane: number, record: string, broken?: readonly string[]): Promise<void>
  /**
   * Moves a row of a collection out of the way, if it can't be read. Its value is kept where the place is able to.
   *
   * @param broken - a value that looks intact but is not: the row is moved if it still has this one
   * @returns whether it was moved
   */
  setRowAside(collection: string, key: string, broken?: StoredRow): Promise<boolean>
  usage(): Promise<BackendUsage>
  /** Every collection with rows, by name. Rows that can't be read may be missing from the figures. */
  listCollections(): Promise<readonly CollectionUsage[]>
  /**
   * Present in places with stamps.
   *
   * @returns the stamp of the last commit that changed rows; 0: there was none, −1: it can't be read
   */
  readonly lastRowsStamp?: () => Promise<number>
  /** The blobs that the entries of a session name; `undefined` where the place takes no blobs. */
  blobReferences(session: number): Promise<readonly BlobReference[] | undefined>
  /** Sessions that were erased (B8). Remembers them from the first call on. */
  listPurges(): Promise<readonly PurgeRecord[]>
  /**
   * Forgets these records, except those that have grown since. Without a list it forgets all records and stops
   * recording.
   */
  forgetPurges(reported?: readonly PurgeRecord[]): Promise<void>
  /**
   * Erases blobs that no entry and no draft names, and that have been waiting since before this time.
   *
   * @returns their hashes
   */
  collectBlobs(before: number): Promise<readonly string[]>
  /** A copy of a blob that is kept elsewhere (in a mirror). */
  readonly spareBlob?: (hash: string) => Promise<Blob | undefined>
}
