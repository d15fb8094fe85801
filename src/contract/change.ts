import type { EntryView } from './entry.ts'
import type { MessagePart } from './message.ts'
import type { SessionListing } from './meta.ts'
import type { Reclaimable } from './reclaimable.ts'

/**
 * Position of a row. Feeds name rows and never say "after this order", because an entry may sort before ones already
 * seen.
 */
export interface RowRef {
  readonly branch: string
  readonly order: string
}

/** One session changed. Sent after the commit, to every tab of the origin. */
export interface SessionChange {
  readonly type: 'session'
  readonly key: string
  /**
   * Tells a session from another one that had its key before: one that is begun anew after it was erased gets another
   * number. Tabs may hear of both in the wrong order.
   */
  readonly session: number
  /** Counts the commits of this session; a gap means changes were missed. */
  readonly version: number
  /** Rows appended to the log by this commit. */
  readonly rows: readonly RowRef[]
  /** The same rows as views, if they are small and on the transcript of the head line. */
  readonly entries?: readonly EntryView[]
  /**
   * The commit did more than append rows: it changed the line, cut, edited or removed. Readers read their page again.
   */
  readonly reload: boolean
  /** Aliases that it was given or that it gave up: each may stand for another session than before (L19). */
  readonly names?: readonly string[]
  /** Entries were erased for good, by `reclaim` here or elsewhere: copies of them are to be erased as well. */
  readonly erased?: true
  /** The session's row in the list; absent when it is gone for good. */
  readonly listing?: SessionListing
  /** Whether this commit survives power loss. */
  readonly strict?: true
}

/**
 * A streamed reply began, grew or ended. When the change has neither `view` nor `added`, the draft was sealed or
 * dropped.
 */
export interface DraftChange {
  readonly type: 'draft'
  readonly key: string
  readonly draft: string
  /** The whole draft, when it began. */
  readonly view?: DraftView
  /** Who streams it, when it began: name of the Web Lock that its owner holds while it lives. */
  readonly owner?: string
  /** What write number `n` added. Never the whole text, because a long reply would be copied with every piece. */
  readonly added?: DraftChunk & { readonly n: number }
}

/** An estimate of what a lost database held. */
export interface LostData {
  readonly sessions: number
  /** When a session was changed last, in milliseconds since 1970; the last few seconds may be missing. */
  readonly updatedAt: number
}

/**
 * Something the user should know about the store itself. `upgradeBlocked`: older tabs must be closed, then the opening
 * continues by itself; `upgrading` (again each second): older data is converted to the format of this release;
 * `upgradeRequired`: this tab is outdated and must be reloaded; `storeDeleted`: `deleteSessionStore` erases the store, so
 * this client was closed.
 */
export interface NoticeChange {
  readonly type: 'notice'
  readonly name:
    | 'upgradeRequired'
    | 'upgradeBlocked'
    | 'upgrading'
    | 'dataLost'
    | 'refilled'
    | 'workerRestarted'
    | 'degraded'
    | 'recovered'
    | 'moved'
    | 'recordSkipped'
    | 'repaired'
    | 'spaceLow'
    | 'retained'
    | 'keysChanged'
    | 'storeDeleted'
  readonly message: string
  /** With `dataLost`: what is known to be missing. */
  readonly lost?: LostData
  /** With `spaceLow`. */
  readonly space?: SpaceReport
  /**
   * With `retained`: the sessions that the retention changed. With `recordSkipped`: the session with an unreadable
   * part.
   */
  readonly keys?: readonly string[]
}

/** How much room there is. */
export interface SpaceReport {
  /**
   * The browser's own figures for the origin, if it gives them. Its limit may be higher than the free space on the
   * disk.
   */
  readonly originBytes?: number
  readonly quotaBytes?: number
  /** About how many bytes the write needed that found no room. */
  readonly neededBytes?: number
  readonly reclaimable?: Reclaimable
}

/** Rows of a collection changed. Sent after the commit, to every tab of the origin. */
export interface CollectionChange {
  readonly type: 'collection'
  readonly collection: string
  /** Keys of the rows that were written or deleted. */
  readonly keys: readonly string[]
  /** Whether this commit survives power loss. */
  readonly strict?: true
}

export type StoreChange = SessionChange | DraftChange | CollectionChange | NoticeChange

/** Receives every change that a store makes, after it was stored. */
export type ChangeSink = (change: StoreChange) => void

/**
 * A part of a streamed reply, or a piece of one. Adjacent pieces are joined; those of a tool's input are joined by the
 * id of its call. `toolInput` is the JSON text of a tool's arguments, as far as it has arrived; `part` is a complete
 * structured part.
 */
export type DraftPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'toolInput'; readonly id: string; readonly name?: string; readonly input: string }
  | { readonly type: 'part'; readonly part: Exclude<MessagePart, string> }

/** Pieces of a streamed reply, in this order: reasoning, text, parts. */
export interface DraftChunk {
  readonly text?: string
  readonly reasoning?: string
  readonly parts?: readonly DraftPart[]
}

/** A streamed reply that is not an entry yet. */
export interface DraftView {
  readonly id: string
  readonly branch: string
  readonly role: string
  /** Host library's message id, when there is one. */
  readonly mid?: string
  /** All of its text, and all of its reasoning. */
  readonly text: string
  readonly reasoning: string
  /** All of its parts, in the order in which they arrived. */
  readonly parts: readonly DraftPart[]
  readonly startedAt: number
  /** The number of the next write. */
  readonly next: number
  /** The interrupted entry that it resumes. The draft includes the beginning of that reply. */
  readonly resumes?: { readonly branch: string; readonly order: string }
}
