import type { ColdRow } from '../../contract/rows.ts'

/**
 * The object stores that each format adds, in Dexie's notation. Keys are out of line unless named, so that a value
 * repeats nothing.
 *
 * | store | key | value |
 * | --- | --- | --- |
 * | `sessions` | session key | hot row |
 * | `details` | session number | cold row, and the session's key |
 * | `entries` | `[session, lane, first order]` | record; `mids` only when an entry has a host message id |
 * | `bodies` | `[session, lane, order]`, edits `[session, lane, order, 1]` | data too large for a record |
 * | `aliases` | alias | alias and the session key that owns it |
 * | `operations` | `[session, id]`; `[session, stem, count]` | an operation; several whose ids count on, by the first (before: those of one commit by `[session, n]`) |
 * | `drafts` | `[session, draft, n]`, the row at n = −1 | draft row or chunk |
 * | `blobs` | content hash | bytes and their number |
 * | `aside` | `[session, lane, first order]` | the stored values of unreadable records |
 * | `info` | `database`, `leader` | format version and epoch; who leads |
 * | | `keyring` | the keyring of encrypted content |
 * | | `epoch` | a copy of the epoch, in case the first row is damaged |
 * | | `purges` | whether purges are remembered until they are reported |
 * | | `['purges', key]` | how much was known of a session that was purged |
 * | | `flushed` | when everything was last flushed to survive power loss |
 * | | `['journal', boot]` | how many bytes of a worker's journal the database has |
 * | `references` | `[hash, session]` | how many entries of the session name the blob |
 * | | `[hash]` | that the blob was put, and since when it waits to be named |
 * | `rows` | `[collection, key]` | a row of a collection |
 * | | `['', n]` | an operation on rows; at n = −1 the place of the next one, at −2 the stamp of the last change |
 */
export const storesOfFormats = [
  {
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
  },
  { references: ',session,unnamedSince' },
  { rows: ',size,operation' },
] as const

/** Name of an object store. */
export type StoreName =
  | keyof (typeof storesOfFormats)[0]
  | keyof (typeof storesOfFormats)[1]
  | keyof (typeof storesOfFormats)[2]

/** The database version of a format: Dexie multiplies by ten. */
export const nativeVersion = (format: number): number => format * 10
export const formatOf = (version: number): number => version / 10

/**
 * Added to the format of a database with encrypted content, so that code without encryption leaves it alone. Upgrades
 * keep it.
 */
export const sealedFormat = 1_000_000

/** Keys of the rows of `info`: format and epoch, the copy of the epoch, the leader, the last flush, the keyring. */
export const infoKey = 'database'
export const epochKey = 'epoch'
export const leaderKey = 'leader'
export const flushedKey = 'flushed'
export const keyringKey = 'keyring'
/**
 * Key of the row that makes purges remembered. With a session's key behind it, it is the key of an unreported purge.
 */
export const purgesKey = 'purges'
/** With a small number behind it, it is the key of the number of a call that erased a session. */
export const erasuresKey = 'erasures'
/** With the name of a journal behind it, it is the key of the journal's mark. */
export const journalKey = 'journal'

/** The info row of a database. */
export interface DatabaseInfo {
  /**
   * It also counts changes of stored data alone. Code that finds a greater version than its own leaves the database
   * alone.
   */
  readonly formatVersion: number
  /** Drawn at random when the database was created. Another epoch means another database, whatever its name. */
  readonly epoch: string
}

/** A row of `details`. The key names its session when the hot row can't. Older rows have none. */
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

/** A row of `references` for a session: how many of its entries name the blob. 0: lost entries may name it. */
export interface ReferenceRow {
  readonly session: number
  readonly count: number
}

/** A row of `references` for a blob that was put. */
export interface HeldRow {
  /** Milliseconds since 1970. Absent once an entry has named it. */
  readonly unnamedSince?: number
}
