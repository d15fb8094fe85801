import type { Entry, EntryInput, EntryReceipt, EntryRef, EntryView } from '../entry.ts'
import type { Message } from '../message.ts'
import type { EntryContent } from './atomic-changes.ts'
import type { DeletedOptions, WriteOptions } from './write-options.ts'

export interface AppendOptions extends WriteOptions, DeletedOptions {
  /** The line to append to. Default: the head. */
  readonly branch?: string
  /**
   * Compare-and-append: the order of the last entry that the caller saw on the line, or `''` if it saw none. The line
   * has moved past it if its transcript shows a later entry, or if there is no such entry on the line. Entries that were
   * removed or cut away since move nothing.
   */
  readonly parent?: string
  /**
   * What happens when the line has moved past `parent`: `append` anyway (default), open a `branch` at `parent`, or
   * `refuse` with ParentMoved.
   */
  readonly onConflict?: 'append' | 'branch' | 'refuse'
}

export interface AppendResult {
  readonly entries: readonly EntryReceipt[]
  /** The branch that was written to. Differs from the one asked for when `onConflict: 'branch'` opened a new one. */
  readonly branch: string
  /** Whether the line had moved past `parent`. */
  readonly moved: boolean
}

export interface RemoveResult {
  /**
   * Whether this call removed the entry. False: it was removed already, by another tab or an earlier call, and nothing
   * was written.
   */
  readonly removed: boolean
}

/**
 * `transcript`: what a person scrolls through (cuts applied). `context`: what a model gets (cuts and the active
 * compaction applied). `raw`: every entry of the line that is not purged, including removed ones.
 */
export type View = 'transcript' | 'context' | 'raw'

export interface ReadOptions {
  /** Default: the head. */
  readonly branch?: string
  /** Default `transcript`. */
  readonly view?: View
  /** This many entries from the end. */
  readonly last?: number
  /** The `limit` entries before this order. */
  readonly before?: string
  /** The `limit` entries after this order; `''` starts at the beginning. */
  readonly after?: string
  /** 1 to 4,096, default 50. */
  readonly limit?: number
  /** Whether the page reports what the line's branch has of its own. Costs the same for long and short branches. */
  readonly own?: boolean
}

/** What a branch has of its own in a view, without the lines it forked from. */
export interface OwnEntries {
  readonly messages: number
  /** Milliseconds since 1970 of the newest entry; 0 when there is none. */
  readonly newest: number
}

export interface EntryPage<M extends object = Message> {
  /** In reading order. */
  readonly entries: readonly EntryView<M>[]
  /** Whether there are more entries in the direction that was read (earlier ones for `last` and `before`). */
  readonly more: boolean
  /** Records that could not be read and were skipped. */
  readonly skipped: number
  /** The line that was read. */
  readonly branch: string
  /** Version of the session that the page shows (see `SessionChange.version`); 0 when there is no session. */
  readonly version: number
  /** Which session it shows (see `SessionChange.session`); 0 when there is none. */
  readonly session: number
  /** Present when asked for: counts of the whole branch, independent of the page. */
  readonly own?: OwnEntries
  /** With view `context`: what replaces the part of the line that a model does not get. */
  readonly hidden?: HiddenPart
  /** With view `context` of the head: the number of all messages, independent of the page. */
  readonly total?: number
}

/** What replaces the older part of a line in a model's context. */
export interface HiddenPart {
  /** The summary of the active compaction or of the session, whichever is newer; `''` when there is none. */
  readonly summary: string
  /** Id of the active compaction; absent when there is none. */
  readonly compaction?: string
  /** Messages that the compaction put in front of the part that was kept. */
  readonly messages?: readonly Message[]
}

/**
 * The log of each session.
 *
 * - L2 *Order.* Entries of one `append` keep the order given; appends awaited one after the other on one line keep
 *   theirs.
 * - L4 *Round trip.* The content of a message is returned deep-equal, with any fields.
 * - L9 *Compare-and-append.* With `parent`, a line that has moved is never overwritten.
 * - L10 *Cuts hide, they never erase*; `reclaim` erases only entries that no line and no checkpoint shows, and edits
 *   that a later one replaced there.
 * - L16 *Pages* join to the whole view, in both directions, without gaps or repeats.
 */
export interface SessionLog {
  /** Appends entries to a line, all or none. Creates the session. @throws ParentMoved, OperationConflict */
  append(key: string, entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
  /** Reads one page of a line. @throws InvalidInput when more than one of `last`, `before`, `after` is given */
  read(key: string, options?: ReadOptions): Promise<EntryPage>
  /**
   * Replaces the content of one entry, a message or the `data` of another type; the log keeps the original.
   *
   * @throws SessionNotFound; InvalidInput when there is no such entry, or it has another kind of content
   */
  edit(key: string, target: EntryRef, content: EntryContent, options?: WriteOptions): Promise<void>
  /** Removes one entry from every view; a later `edit` brings it back. @throws SessionNotFound, InvalidInput */
  remove(key: string, target: EntryRef, options?: WriteOptions): Promise<RemoveResult>
  /**
   * One entry as it is now; `undefined` when there is none, or it was removed. Of several with one host message id, it
   * is the one that the head line shows, or else the newest.
   */
  find(key: string, target: EntryRef): Promise<EntryView | undefined>
  /** The newest entry with each host message id, or `undefined`, in the order asked. */
  findByMid(key: string, mids: readonly string[]): Promise<readonly (Entry | undefined)[]>
}
