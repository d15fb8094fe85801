import type { VersionVector } from '../entry.ts'
import type { TermOptions } from '../term.ts'
import type { HavingOptions, KeyOptions, WriteOptions } from './write-options.ts'

/**
 * Which life of a session a deletion is about. A session begins a new life each time it is undeleted after it was
 * purged elsewhere. For sync.
 */
export interface LifeOptions extends WriteOptions, HavingOptions {
  /** The session is in this life from then on, if the log says an earlier one. Default: its current one. */
  readonly life?: number
}

export interface DeleteOptions extends LifeOptions {
  /**
   * The session was purged elsewhere and is not erased here, because it has entries that exist nowhere else: `undelete`
   * begins its next life.
   */
  readonly kept?: boolean
}

export interface PurgeOptions extends TermOptions, KeyOptions {
  /**
   * Erases what this vector covers. Where more is known of the session by then, the call is refused (ParentMoved) and
   * nothing happens.
   */
  readonly known?: VersionVector
  /**
   * `deletedAt` of `getMeta`. Once the session was undeleted, restarted or deleted again, the call is refused
   * (ParentMoved) and nothing happens.
   */
  readonly deletedAt?: number
  /** All of it is stored under another key by now: `listPurges` does not list it. */
  readonly isMoved?: boolean
}

/**
 * The end of sessions, and of the store itself.
 *
 * - L12 *Deleted stays deleted* until `undelete`; only a new `append` by key restarts the session, without its old
 *   content.
 * - L24 *Lives.* A deletion of an earlier life has no effect, whatever the clocks say. A session that is `kept` is
 *   deleted, and `undelete` (or an append, which restarts it) begins its next life; nothing else does.
 */
export interface Lifecycle {
  /** Hides the session behind a tombstone. */
  delete(key: string, options?: DeleteOptions): Promise<void>
  /**
   * Brings a deleted session back as it was; one that was purged elsewhere (`kept`) on all devices, in a life that no
   * earlier purge touches.
   */
  undelete(key: string, options?: LifeOptions): Promise<void>
  /**
   * Erases the session for good: entries, metadata, drafts, checkpoints, aliases. It needs no space. Chromium returns
   * the space when it compacts its files, which may be long after; until then, writes may find none.
   *
   * @throws ParentMoved when the session is not deleted as `deletedAt` says
   */
  purge(key: string, options?: PurgeOptions): Promise<void>
  /** Settles pending calls, then closes. Closing twice is fine. */
  close(): Promise<void>
}
