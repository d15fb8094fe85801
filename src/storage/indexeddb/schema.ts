import type { ColdRow } from '../../contract/rows.ts'

/**
 * The object stores, in Dexie's notation. Keys are out of line unless named: a value says nothing twice.
 *
 * | store | key | value |
 * | --- | --- | --- |
 * | `sessions` | session key | hot row |
 * | `details` | session number | cold row, and the session's key |
 * | `entries` | `[session, lane, first order]` | record; `mids` only when an entry has a host message id |
 * | `bodies` | `[session, lane, order]`, edits `[session, lane, order, 1]` | data too large for a record |
 * | `aliases` | alias | alias and the session key that owns it |
 * | `operations` | `[session, n]` | operation rows of one commit, by the count of the first |
 * | `drafts` | `[session, draft, n]`, the row at n = −1 | draft row or chunk |
 * | `blobs` | content hash | bytes and their number |
 * | `aside` | `[session, lane, first order]` | what was found in the place of unreadable records |
 * | `info` | `database` | format version and epoch |
 */
export const stores = {
  sessions: 'key',
  details: '',
  entries: ',*mids',
  bodies: '',
  aliases: 'alias,key',
  operations: '',
  drafts: '',
  blobs: ',size',
  aside: '',
  info: '',
} as const

/** Name of an object store. */
export type StoreName = keyof typeof stores

/** Version of the stores, as Dexie counts them. */
export const schemaVersion = 1

/** The same as IndexedDB counts: Dexie multiplies by ten. */
export const nativeVersion = schemaVersion * 10

/** Version of what is in them. Code that finds a greater one leaves the database alone. */
export const formatVersion = 1

/** Key of the one row of `info`. */
export const infoKey = 'database'

/** What the database says about itself. */
export interface DatabaseInfo {
  readonly formatVersion: number
  /** Drawn at random when the database was created: another epoch is another database, whatever its name. */
  readonly epoch: string
}

/** A row of `details`. The key says whose it is when the hot row can't; rows of before have none. */
export interface DetailsRow extends ColdRow {
  readonly key?: string
}

/** A row of `aliases`. */
export interface AliasRow {
  readonly alias: string
  readonly key: string
}

/** A row of `blobs`. */
export interface BlobRow {
  readonly size: number
  readonly blob: Blob
}
