import type { JsonValue } from '../json.ts'
import type { VerifyProblem } from './verify-problem.ts'
import type { WriteOptions } from './write-options.ts'

/** What a row holds: JSON, or bytes, which are stored as bytes. */
export type RowValue = JsonValue | Uint8Array

/** A row of a collection. */
export interface CollectionRow {
  readonly key: string
  readonly value: RowValue
}

/** One change of a row. */
export type RowWrite =
  | { readonly type: 'put' | 'insertIfAbsent'; readonly key: string; readonly value: RowValue }
  | { readonly type: 'delete'; readonly key: string }

/** Which rows of a collection to read, and from which end. */
export interface RowRange {
  /** What the keys begin with. */
  readonly prefix?: string
  /** The lowest key. */
  readonly from?: string
  /** The end of the range: keys below it are read, and it is not. */
  readonly to?: string
  /** The highest key first. Default false. */
  readonly reverse?: boolean
  /** How many rows a page has at most, 1 to 1,000. Default 100. It has fewer once their values have 16 MiB. */
  readonly limit?: number
  /** `next` of the page before, with the other options unchanged. */
  readonly after?: string
}

/** Rows of a range, in the order of their keys. */
export interface RowPage {
  readonly rows: readonly CollectionRow[]
  /** Keys of rows that are missing here because they can't be read. Absent: none. */
  readonly unreadable?: readonly string[]
  /** Pass it as `after` for the next page. Absent: this is the last one. */
  readonly next?: string
}

/** What a collection takes. */
export interface CollectionUsage {
  readonly name: string
  readonly rows: number
  /** UTF-8 bytes of JSON values, and bytes. */
  readonly bytes: number
}

/** What a check of all collections found. */
export interface RowsReport {
  readonly rows: number
  /** The first 1,000 problems: `key` is the collection, `at` the key of the row. */
  readonly problems: readonly VerifyProblem[]
  /** How many more there are. Absent: none. */
  readonly unlisted?: number
  /** Rows that were set aside. */
  readonly repaired: number
}

/** A collection has names up to this length, in UTF-16 code units. */
export const longestName = 256

/** Keys have at most this length, in UTF-16 code units. */
export const longestRowKey = 1024

/** How many ops one call may have. */
export const mostRowWrites = 4096

/** How many rows a page may have. */
export const mostRows = 1000

/**
 * Private rows beside the sessions, for adapters of other libraries and for apps: settings, checkpoints, drafts of
 * prompts. A collection exists as long as it has rows. Names (up to 256 UTF-16 code units) and keys (up to 1,024) are
 * not empty and have no lone surrogates.
 *
 * - L30 *Writes.* The ops of a call are applied in their order, all or none. The result says of each whether it changed
 *   something: a `put` always, a `delete` if there was a row, an `insertIfAbsent` if there was none. Of two stores that
 *   insert under one key at once, one is told that it did.
 * - L31 *Order.* Rows are ordered by the UTF-16 code units of their keys, as `<` compares strings, in every store.
 * - L32 *Apart from sessions.* Rows are in no list of sessions and no search, and no retention and no purge reaches
 *   them.
 * - L8 also holds for `writeRows`, which differs in one thing: of all collections together, a store remembers at least
 *   the newest 256 operations, whatever became of the rows.
 */
export interface Collections {
  /**
   * The values under these keys, in their order; `undefined` where there is no row.
   *
   * @throws ChecksumMismatch when a row exists and can't be read; `repair` sets it aside
   */
  getRows(collection: string, keys: readonly string[]): Promise<readonly (RowValue | undefined)[]>
  /** One page of a range. Rows that can't be read are left out and named. @throws InvalidInput */
  listRows(collection: string, range?: RowRange): Promise<RowPage>
  /**
   * Changes rows. A value is JSON or a `Uint8Array`, of at most 8 MiB.
   *
   * @param ops - at most 4,096
   * @returns for each op whether it changed something (L30)
   * @throws InvalidInput, also for what JSON would lose (a Date, a Map); TooLarge; OperationConflict
   */
  writeRows(collection: string, ops: readonly RowWrite[], options?: WriteOptions): Promise<readonly boolean[]>
  /** Every collection, by name. It goes over all rows, but reads no values. */
  listCollections(): Promise<readonly CollectionUsage[]>
  /**
   * Checks every row of every collection, which `verify` and `repair` do, too, if they are called for all sessions.
   *
   * @param options - `repair` sets rows that can't be read aside: afterwards there is no row under their keys
   */
  checkRows(options?: { readonly repair?: boolean }): Promise<RowsReport>
}
