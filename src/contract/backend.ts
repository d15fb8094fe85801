import type { DraftChunk } from './change.ts'
import type { ColdRow, DraftRow, EditMark, HotRow, OperationRow, SessionRows, StoredEntry } from './rows.ts'
import type { Durability } from './store.ts'

/** Lane of control entries. Branch lanes count from 0 (main). */
export const controlLane = -1

/** Most entries in one record. */
export const recordCapacity = 64

/** Entries of one lane between two orders, both inclusive (`''` and `'~'` are the ends). */
export interface LaneRange {
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
  /** Where small records begin (`PackState.from`): a read from the end may fetch them all in one go. Changes nothing but the time it takes. */
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
export interface SessionWrite {
  /** The new hot row. Its `version` is one more than the one the write was planned on; 1 creates the session. */
  readonly hot: HotRow
  /** The new cold row, when it changed. */
  readonly cold?: ColdRow
  /** Entries that lie after everything stored in their lane: the backend may write them as new records without looking. */
  readonly append: readonly LaneEntries[]
  /** Entries that may fall anywhere: the backend keeps records from overlapping. An entry that is there already is left as it is. */
  readonly insert: readonly LaneEntries[]
  /** Edits to cache on entries that are there; a later one already cached wins. */
  readonly edits: readonly { readonly lane: number; readonly order: string; readonly mark: EditMark }[]
  /** Entries to erase for good. */
  readonly erase: readonly { readonly lane: number; readonly orders: readonly string[] }[]
  /** Join the small records of this lane from this key on into full ones. */
  readonly pack?: { readonly lane: number; readonly from: string }
  readonly operations: readonly OperationRow[]
  /** Ids of the operations that this write does: one that comes to nothing is repeated under the same ids. Absent: none. */
  readonly operationIds?: readonly string[]
  /** Forget operations with `n` below this. */
  readonly pruneOperations?: number
  readonly aliases: { readonly add: readonly string[]; readonly drop: readonly string[] }
  readonly drafts: readonly DraftWrite[]
}

export interface LaneEntries {
  readonly lane: number
  /** Ascending by order. */
  readonly entries: readonly StoredEntry[]
}

export type DraftWrite =
  | { readonly put: DraftRow }
  | { readonly draft: string; readonly n: number; readonly chunk: DraftChunk }
  | { readonly drop: string }

/** Sessions to erase entirely, with everything that belongs to them. */
export interface SessionErasure {
  readonly key: string
  readonly session: number
}

/** All or nothing. May span sessions. */
export interface WriteBatch {
  readonly sessions: readonly SessionWrite[]
  readonly erase: readonly SessionErasure[]
}

/**
 * What became of a batch. `stale`: nothing was written, because these sessions (by key) are at another version than planned
 * (version of the hot row ≠ planned version − 1), or an alias to be added belongs to another session by now.
 */
export type CommitOutcome = { readonly stored: true } | { readonly stored: false; readonly stale: readonly string[] }

export interface StoredDraft {
  readonly row: DraftRow
  /** In order of writing; at most one for each `n`. */
  readonly chunks: readonly { readonly n: number; readonly chunk: DraftChunk }[]
}

export interface BackendUsage {
  readonly blobBytes: number
  readonly draftBytes: number
  readonly originBytes?: number
  readonly quotaBytes?: number
}

/**
 * The narrow waist between the engine and a place to keep things (what Aixgo calls by this name). Plain storage: no session
 * semantics, no clock. Every method rejects with StorageClosed after `close`. Results may be changed by the engine; arguments are
 * not kept by reference.
 *
 * Laws: B1 a batch is stored whole or not at all, and is visible to every reader once `commit` resolves. B2 a batch planned on
 * another version is refused as `stale` and changes nothing. B3 records never overlap: reading a range gives every entry in it once,
 * in order. B4 what cannot be read is named in `unreadable`, never thrown. B5 `strict` commits survive power loss where the place
 * can promise it.
 */
export interface CoreBackend {
  /** What it is, for `health()`: `memory`, `indexeddb`, `web-storage`, or a custom backend's own word. */
  readonly kind: string
  loadSession(key: string): Promise<SessionRows | undefined>
  /** Every hot row, deleted sessions included, in any order. */
  listSessions(): Promise<readonly HotRow[]>
  /** The key of the session that owns an alias. */
  findAlias(alias: string): Promise<string | undefined>
  readRange(read: RangeRead): Promise<RangeResult>
  /** Present where there is a faster way than {@link loadSession} and {@link readRange} for each. A session that can't be read comes as `undefined`. */
  readonly readPlaces?: ReadPlaces
  /** Entries that carry one of these host message ids (`data.mid`). */
  findByMid(session: number, mids: readonly string[]): Promise<readonly StoredEntry[]>
  findOperation(session: number, id: string): Promise<OperationRow | undefined>
  loadDrafts(session: number): Promise<readonly StoredDraft[]>
  commit(batch: WriteBatch, durability: Durability): Promise<CommitOutcome>
  putBlob(hash: string, blob: Blob): Promise<void>
  getBlob(hash: string): Promise<Blob | undefined>
  close(): Promise<void>
}

/** A {@link CoreBackend} with what only jobs need. */
export interface StorageBackend extends CoreBackend {
  /** Moves an unreadable record out of the way; its bytes are kept where the place can keep them. */
  setAside(session: number, lane: number, record: string): Promise<void>
  usage(): Promise<BackendUsage>
}

/** Places of one session of which the entries are wanted. */
export interface SessionPlaces {
  readonly key: string
  /** Its local number. When it has another one now it was made anew, and has none of these places. */
  readonly session: number
  readonly places: readonly { readonly branch: string; readonly order: string }[]
}

/** A session as it is now, and the entries at the places asked for, in that order. */
export interface PlacedEntries {
  readonly rows: SessionRows
  readonly entries: readonly (StoredEntry | undefined)[]
}

/** Reads what lies at places of many sessions; `undefined` for a session that is not there, or can't be read. */
export type ReadPlaces = (asked: readonly SessionPlaces[]) => Promise<readonly (PlacedEntries | undefined)[]>
