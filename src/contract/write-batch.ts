import type { ReferenceChange } from './blob-references.ts'
import type { DraftChunk } from './change.ts'
import type { DraftRow } from './draft-row.ts'
import type { VersionVector } from './entry.ts'
import type { MarkStep } from './journal.ts'
import type { OperationRow } from './operation-row.ts'
import type { ColdRow, EditMark, HotRow, StoredEntry } from './rows.ts'
import type { RowsStamp, RowsWrite } from './stored-row.ts'
import type { TermOptions } from './term.ts'

/** What one commit does to one session. */
export interface SessionWrite extends TermOptions {
  /** The new hot row. */
  readonly hot: HotRow
  /** The version that the write was planned on; 0 creates the session. Absent: one less than that of `hot`. */
  readonly since?: number
  /**
   * Whatever other tabs stored meanwhile, the result of the call stays as it is: if the write is stale, its entries
   * arrive on the newer rows. Such a write may be answered before the database has it.
   */
  readonly isUnconditional?: true
  /** The new cold row, when it changed. */
  readonly cold?: ColdRow
  /**
   * Entries that come after everything stored in their lane: the backend may write them as new records without a
   * lookup.
   */
  readonly append: readonly LaneEntries[]
  /**
   * Entries that may come anywhere in the lane: the backend keeps records from overlapping. An entry that is stored
   * already stays as it is.
   */
  readonly insert: readonly LaneEntries[]
  /** Edits to cache on stored entries. If a later edit is cached already, that one stays. */
  readonly edits: readonly { readonly lane: number; readonly order: string; readonly mark: EditMark }[]
  /** Entries to erase for good. */
  readonly erase: readonly { readonly lane: number; readonly orders: readonly string[] }[]
  /** Joins the small records of this lane into full ones: those with keys from `from` on and below `to`. */
  readonly pack?: { readonly lane: number; readonly from: string; readonly to?: string }
  readonly operations: readonly OperationRow[]
  /**
   * Ids of the operations that this write performs. A write that fails is repeated under the same ids. Absent: none.
   */
  readonly operationIds?: readonly string[]
  /** Forget operations with `n` below this. */
  readonly pruneOperations?: number
  readonly aliases: { readonly add: readonly string[]; readonly drop: readonly string[] }
  readonly drafts: readonly DraftWrite[]
  /** Changes in how often entries name each blob, once per blob. Not encrypted, even where the entries are. */
  readonly references?: readonly ReferenceChange[]
}

export interface LaneEntries {
  readonly lane: number
  /** Ascending by order. */
  readonly entries: readonly StoredEntry[]
}

/**
 * A chunk as it is stored. `at`: when it was stored, in milliseconds since 1970; `mid`: the host message id of the
 * draft, in its first chunk.
 */
export interface StoredChunk extends DraftChunk {
  readonly at?: number
  readonly mid?: string
}

export type DraftWrite =
  | { readonly put: DraftRow }
  | { readonly draft: string; readonly n: number; readonly chunk: StoredChunk }
  | { readonly drop: string }

/** Sessions to erase entirely, with everything that belongs to them. */
export interface SessionErasure extends TermOptions {
  readonly key: string
  readonly session: number
  /** The version that the session must have; if it has another one, the batch is stale. Absent: any version. */
  readonly version?: number
  /** Everything that was known of the session, to be remembered (B8). */
  readonly vector?: VersionVector
  /** The life that the session was in, to be remembered with the vector. */
  readonly life?: number
  /** The page's call that erases it, to be remembered for {@link CoreBackend.findErasure}. */
  readonly call?: string
}

/** Is stored completely or not at all. May span sessions. */
export interface WriteBatch {
  readonly sessions: readonly SessionWrite[]
  readonly erase: readonly SessionErasure[]
  /** Changes rows of a collection. */
  readonly rows?: RowsWrite
  /**
   * Generation of the keyring that it was sealed with. If another one is stored, the batch is refused, with no stale
   * sessions.
   */
  readonly sealedWith?: number
  /**
   * How far a journal is indexed with this batch, for backends whose place has journals. If another mark is stored than
   * the one that it comes after, the batch is refused, with no stale sessions.
   */
  readonly journal?: MarkStep
}

/**
 * The outcome of a batch. `stale`: nothing was written, because these sessions (by key) have another version than
 * planned (version of the hot row ≠ planned version − 1), or because an alias to be added belongs to another session by
 * now. `collected`: blobs that were erased together with the last session that named them. `changed`: of each op on
 * rows whether it changed something. `stamped`: the stamp of a commit that changed rows, in places with stamps.
 */
export type CommitOutcome =
  | {
      readonly stored: true
      readonly collected?: readonly string[]
      readonly changed?: readonly boolean[]
      readonly stamped?: RowsStamp
    }
  | { readonly stored: false; readonly stale: readonly string[] }
