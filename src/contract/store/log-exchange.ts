import type { Entry, VersionVector } from '../entry.ts'
import type { TermOptions } from '../term.ts'
import type { Durability, HavingOptions, KeyOptions } from './write-options.ts'

export interface MergeResult {
  /** Entries that were new. */
  readonly added: number
  /** Entries that were known already. */
  readonly known: number
  /**
   * Entries that were not accepted, with the reason: they broke a rule, or (`isEarly`) an entry that their writer made
   * before them is missing.
   */
  readonly refused: readonly { readonly id: string; readonly reason: string; readonly isEarly?: true }[]
}

export interface MergeOptions extends TermOptions, KeyOptions, HavingOptions {
  readonly durability?: Durability
  /**
   * Whether entries that are missing before others of their writer are lost at the source, as after a `repair`. Then
   * they hold up nothing, and they are accepted if they ever arrive from elsewhere. Default: entries after a gap are
   * refused until the gap is filled.
   */
  readonly gapsAreLost?: boolean
  /**
   * What was erased for good of an earlier session with this key: if the log of another key continues in the session
   * (L20), nothing of this comes with it.
   */
  readonly without?: VersionVector
}

/** Position of a scan of {@link Exchange.changes}. Opaque. */
export type ChangeCursor = string

export interface ChangesPage {
  readonly entries: readonly Entry[]
  /** Pass it to get the rest; absent on the last page. */
  readonly next?: ChangeCursor
  readonly vv: VersionVector
}

/**
 * What was erased for good under a key: how much was known of it, and in which life. What the vector does not cover was
 * not purged.
 */
export interface PurgeRecord {
  readonly key: string
  readonly vector: VersionVector
  /** Absent: the first. */
  readonly life?: number
}

/**
 * What sync and imports exchange with a store.
 *
 * - L17 *Merging* the same entries again, in any order, changes nothing.
 * - L23 *Purges can be reported.* From the first `listPurges` on, what `purge` erases is listed with all that was known
 *   of it and its latest life, in every store of this database, until `forgetPurges`. Nothing else is ever listed: not
 *   what was deleted, what is gone for another reason, or what was moved (`isMoved`).
 */
export interface Exchange {
  /** Takes entries from another device or an import; set union. */
  merge(key: string, entries: readonly Entry[], options?: MergeOptions): Promise<MergeResult>
  /** How many entries of each writer are known, or `undefined` for an unknown session. */
  getVector(key: string, options?: KeyOptions): Promise<VersionVector | undefined>
  /**
   * The raw entries that a version vector does not cover, in storage order, in pages. Recent changes are found from the
   * end.
   */
  changes(key: string, since?: VersionVector, cursor?: ChangeCursor, options?: KeyOptions): Promise<ChangesPage>
  /**
   * Purges not yet reported to other devices, in any order. They are remembered from the first call on, so that a store
   * that never syncs records none; nor are they recorded if there is no space, because a purge must not need any.
   */
  listPurges(): Promise<readonly PurgeRecord[]>
  /**
   * Forgets purges that were reported, but not what was purged again since. Without a list: forgets all, and remembers
   * none from now on.
   */
  forgetPurges(reported?: readonly PurgeRecord[]): Promise<void>
}
