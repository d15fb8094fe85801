import type { BlobReference, ReferenceChange } from './blob-references.ts'
import type { DraftChunk } from './change.ts'
import type { DraftRow } from './draft-row.ts'
import type { VersionVector } from './entry.ts'
import type { RowSalvage } from './row-salvage.ts'
import type { ColdRow, EditMark, HotRow, OperationRow, SessionRows, StoredEntry } from './rows.ts'
import type { ReadPlaces } from './session-places.ts'
import type { PurgeRecord } from './store/log-exchange.ts'
import type { UsageReport } from './store/store-upkeep.ts'
import type { Durability } from './store/write-options.ts'
import type { LeaderTerm, TermClaim, TermOptions } from './term.ts'

/** Lane of control entries. Branch lanes count from 0 (main). */
export const controlLane = -1

/**
 * Lane of what the rows of a branch's lane add up to, stretch by stretch: of the rows (level 0), and of such stretches
 * (level 1). What lies there can be made again from the rows: it is in no export and no mirror, and a backend need not
 * know of it.
 */
export function sumsLane(lane: number, level: 0 | 1): number {
  return -2 - 3 * lane - level
}

/** Lane of what the line of a branch had seen at some places of the branch's lane. */
export function seenLane(lane: number): number {
  return -4 - 3 * lane
}

/** Most entries in one record. */
export const recordCapacity = 64

/** How long bytes that no entry names are kept: the message they were put for may still be written. A day. */
export const blobGraceMs = 24 * 60 * 60 * 1000

/** Entries of one lane between two orders, both inclusive (`''` and `'~'` are the ends). */
interface LaneRange {
  readonly session: number
  readonly lane: number
  readonly from: string
  readonly to: string
}

export interface RangeRead extends LaneRange {
  /** Read from the end instead of the start. Entries come in ascending order all the same. */
  readonly reverse?: boolean
  /** Stop after at least so many entries (whole records are given; more may come). */
  readonly limit?: number
  /**
   * Where small records begin (`PackState.from`): a read from the end may fetch them all in one go. Changes nothing but
   * the time it takes.
   */
  readonly small?: string
}

export interface RangeResult {
  readonly entries: readonly StoredEntry[]
  /** Whether the range holds more beyond what was given, in the direction of reading. */
  readonly more: boolean
  /** Keys (first orders) of records that could not be read, or not whole: what can be read of them is in `entries`. */
  readonly unreadable: readonly string[]
}

/** What one commit does to one session. */
export interface SessionWrite extends TermOptions {
  /** The new hot row. Its `version` is one more than the one the write was planned on; 1 creates the session. */
  readonly hot: HotRow
  /** The new cold row, when it changed. */
  readonly cold?: ColdRow
  /**
   * Entries that lie after everything stored in their lane: the backend may write them as new records without looking.
   */
  readonly append: readonly LaneEntries[]
  /**
   * Entries that may fall anywhere: the backend keeps records from overlapping. An entry that is there already is left
   * as it is.
   */
  readonly insert: readonly LaneEntries[]
  /** Edits to cache on entries that are there; a later one already cached wins. */
  readonly edits: readonly { readonly lane: number; readonly order: string; readonly mark: EditMark }[]
  /** Entries to erase for good. */
  readonly erase: readonly { readonly lane: number; readonly orders: readonly string[] }[]
  /** Join the small records of this lane from this key on into full ones. */
  readonly pack?: { readonly lane: number; readonly from: string }
  readonly operations: readonly OperationRow[]
  /**
   * Ids of the operations that this write does: one that comes to nothing is repeated under the same ids. Absent: none.
   */
  readonly operationIds?: readonly string[]
  /** Forget operations with `n` below this. */
  readonly pruneOperations?: number
  readonly aliases: { readonly add: readonly string[]; readonly drop: readonly string[] }
  readonly drafts: readonly DraftWrite[]
  /** What its entries name more or less than before, each blob once. In the clear also where the entries are sealed. */
  readonly references?: readonly ReferenceChange[]
}

export interface LaneEntries {
  readonly lane: number
  /** Ascending by order. */
  readonly entries: readonly StoredEntry[]
}

/** A chunk as it is stored, and when it was, in milliseconds since 1970. */
interface StoredChunk extends DraftChunk {
  readonly at?: number
}

export type DraftWrite =
  | { readonly put: DraftRow }
  | { readonly draft: string; readonly n: number; readonly chunk: StoredChunk }
  | { readonly drop: string }

/** Sessions to erase entirely, with everything that belongs to them. */
export interface SessionErasure extends TermOptions {
  readonly key: string
  readonly session: number
  /** The version it must be at: at another one the batch is stale. Absent: whatever is there goes. */
  readonly version?: number
  /** All that was known of it, to be remembered (B8). */
  readonly vector?: VersionVector
  /** The life it was in, to be remembered with that. */
  readonly life?: number
}

/** All or nothing. May span sessions. */
export interface WriteBatch {
  readonly sessions: readonly SessionWrite[]
  readonly erase: readonly SessionErasure[]
  /** Generation of the keyring it was sealed with: while another one is stored it is refused, with nothing stale. */
  readonly sealedWith?: number
}

/**
 * What became of a batch. `stale`: nothing was written, because these sessions (by key) are at another version than
 * planned (version of the hot row ≠ planned version − 1), or an alias to be added belongs to another session by now.
 * `collected`: blobs that went with the last session that named them.
 */
export type CommitOutcome =
  | { readonly stored: true; readonly collected?: readonly string[] }
  | { readonly stored: false; readonly stale: readonly string[] }

export interface StoredDraft {
  readonly row: DraftRow
  /** In order of writing; at most one for each `n`. */
  readonly chunks: readonly { readonly n: number; readonly chunk: StoredChunk }[]
}

export interface BackendUsage {
  /** How much there is of each kind, where that is known without reading it. */
  readonly kinds?: UsageReport['kinds']
  readonly blobBytes: number
  readonly draftBytes: number
  readonly originBytes?: number
  readonly quotaBytes?: number
}

/**
 * The narrow waist between the engine and a place to keep things (what Aixgo calls by this name). Plain storage: no
 * session semantics, no clock. Every method rejects with StorageClosed after `close`. Results may be changed by the
 * engine; arguments are not kept by reference.
 *
 * Laws: B1 a batch is stored whole or not at all, and is visible to every reader once `commit` resolves. B2 a batch
 * planned on another version is refused as `stale` and changes nothing. B3 records never overlap: reading a range gives
 * every entry in it once, in order. B4 what cannot be read is named in `unreadable`, never thrown. B5 `strict` commits
 * survive power loss where the place can promise it, and with them what was stored before in the same place. B6 a batch
 * of which a part names another term than the one that is stored is refused (NotLeader) and changes nothing; a claim is
 * stored only in the place of what it names, and terms never go down. B7 references change with the entries, in the
 * same commit, and go with their session; a blob goes with the last session that names it, unless it waits: since it
 * was put, or since a session that stays named it. It never goes while an entry or a draft names it. B8 once
 * `listPurges` was called, the vectors of erasures are remembered in the same commit, those of one key joined (and the
 * latest of their lives), until `forgetPurges`.
 */
export interface CoreBackend {
  /** What it is, for `health()`: `memory`, `indexeddb`, `web-storage`, or a custom backend's own word. */
  readonly kind: string
  loadSession(key: string): Promise<SessionRows | undefined>
  /**
   * Every hot row, deleted sessions included, in any order.
   *
   * @param onDamaged - hears the key of each session whose row can't be read, and so is not among them
   */
  listSessions(onDamaged?: (key: string) => void): Promise<readonly HotRow[]>
  /** Present where a session's rows may be damaged while its entries are not. */
  readonly salvage?: RowSalvage
  /** The key of the session that owns an alias. */
  findAlias(alias: string): Promise<string | undefined>
  readRange(read: RangeRead): Promise<RangeResult>
  /**
   * Present where there is a faster way than {@link loadSession} and {@link readRange} for each. A session that can't
   * be read comes as `undefined`.
   */
  readonly readPlaces?: ReadPlaces
  /** Entries that carry one of these host message ids (`data.mid`). */
  findByMid(session: number, mids: readonly string[]): Promise<readonly StoredEntry[]>
  findOperation(session: number, id: string): Promise<OperationRow | undefined>
  loadDrafts(session: number): Promise<readonly StoredDraft[]>
  /** The rows of all drafts of all sessions, without their chunks. */
  listDrafts(): Promise<readonly DraftRow[]>
  commit(batch: WriteBatch, durability: Durability): Promise<CommitOutcome>
  /** Stores a claim, if it is still for what is stored; without one it only looks. @returns what is stored then */
  claimTerm(claim?: TermClaim): Promise<LeaderTerm>
  /**
   * Makes every commit that is stored in this place, by whomever, survive power loss (B5). Absent where the place can't
   * promise that.
   */
  readonly flush?: () => Promise<void>
  /**
   * @param at - milliseconds since 1970: since when it waits for an entry to name it
   * @param size - bytes of its content, when it is sealed and so has more
   */
  putBlob(hash: string, blob: Blob, at: number, size?: number): Promise<void>
  /** @throws ChecksumMismatch when it is there and can't be read */
  getBlob(hash: string): Promise<Blob | undefined>
  close(): Promise<void>
}

/** A {@link CoreBackend} with what only jobs need. */
export interface StorageBackend extends CoreBackend {
  /**
   * Moves an unreadable record out of the way; its bytes are kept where the place can keep them.
   *
   * @param record - its key, or an order in it
   * @param broken - orders of entries that look sound and are not
   */
  setAside(session: number, lane: number, record: string, broken?: readonly string[]): Promise<void>
  usage(): Promise<BackendUsage>
  /** What the entries of a session name; `undefined` where the place takes no blobs. */
  blobReferences(session: number): Promise<readonly BlobReference[] | undefined>
  /** Sessions that were erased (B8). Remembers them from the first call on. */
  listPurges(): Promise<readonly PurgeRecord[]>
  /** Forgets these, unless more is remembered of them; without a list all, and remembers none any more. */
  forgetPurges(reported?: readonly PurgeRecord[]): Promise<void>
  /** Erases blobs that no entry and no draft names, and that wait since before this time. @returns their hashes */
  collectBlobs(before: number): Promise<readonly string[]>
  /** A blob as it is kept elsewhere too (a mirror). */
  readonly spareBlob?: (hash: string) => Promise<Blob | undefined>
}
