import type { TermOptions } from './term.ts'

/** The value of a row as a backend keeps it. */
export interface StoredRow {
  /** JSON text, or bytes. */
  readonly data: string | Uint8Array<ArrayBuffer>
  /** UTF-8 bytes of the text, or the number of bytes. */
  readonly size: number
  /** CRC-32 of the text in UTF-8, or of the bytes. */
  readonly crc: number
}

/** What a backend found under a key; `null`: a row is there and can't be read. */
export type FoundRow = StoredRow | null | undefined

export type StoredRowWrite =
  | { readonly type: 'put' | 'insertIfAbsent'; readonly key: string; readonly row: StoredRow }
  | { readonly type: 'delete'; readonly key: string }

/** The operation that a write is. */
export interface RowsOperation {
  readonly id: string
  /**
   * What its content comes to. A stored operation of this id is the same one if it has any of these; the first is
   * stored.
   */
  readonly prints: readonly string[]
}

/** What one commit does to one collection. */
export interface RowsWrite extends TermOptions {
  readonly collection: string
  readonly ops: readonly StoredRowWrite[]
  readonly operation?: RowsOperation
  /**
   * The stamp that the last change of rows must have, in places with stamps. If it has another one, nothing changes, and
   * the outcome says so of each op.
   */
  readonly after?: number
}

/** Where a commit stands in the chain of those that changed rows. Stamps grow, and are about milliseconds since 1970. */
export interface RowsStamp {
  readonly stamp: number
  /** Stamp of the commit before; 0: there was none, −1: it can't be read. */
  readonly previous: number
}

/** An operation that was stored. */
export interface DoneRowsOperation {
  readonly print: string
  /** Of each op whether it changed something. */
  readonly changed: readonly boolean[]
}

/** Rows of a collection with keys from `from` on and below `to`. */
export interface RowsRead {
  readonly collection: string
  readonly from: string
  /** Absent: up to the end. */
  readonly to?: string | undefined
  readonly reverse: boolean
  readonly limit: number
}

/** In the direction of reading. */
export interface RowsResult {
  readonly rows: readonly { readonly key: string; readonly row: FoundRow }[]
  readonly more: boolean
}
