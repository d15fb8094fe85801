import type { EntryView } from './entry.ts'
import type { MessagePart } from './message.ts'
import type { SessionListing } from './meta.ts'
import type { Reclaimable } from './reclaimable.ts'

/** Where a row stands. Feeds name rows, never "after this order": an entry may sort before ones already seen. */
export interface RowRef {
  readonly branch: string
  readonly order: string
}

/** One session changed. Sent after the commit, to every tab of the origin. */
export interface SessionChange {
  readonly type: 'session'
  readonly key: string
  /** Counts the commits of this session; a gap means changes were missed. */
  readonly version: number
  /** Rows appended to the log by this commit. */
  readonly rows: readonly RowRef[]
  /** The same rows as views, when they are small and stand on the head line's transcript. */
  readonly entries?: readonly EntryView[]
  /** More than appended rows: the line, a cut, an edit, a removal. Readers read their page again. */
  readonly reload: boolean
  /** Entries were erased for good, by `reclaim` here or elsewhere: what is copied of them is to go as well. */
  readonly erased?: true
  /** The session's row in the list; absent when it is gone for good. */
  readonly listing?: SessionListing
  /** Whether this commit survives power loss. */
  readonly strict?: true
}

/**
 * A reply that is being streamed began, grew or ended. When it has neither `view` nor `added`, it was sealed or
 * dropped.
 */
export interface DraftChange {
  readonly type: 'draft'
  readonly key: string
  readonly draft: string
  /** The whole draft, when it began. */
  readonly view?: DraftView
  /** Who streams it, when it began: the Web Lock that is held as long as it lives. */
  readonly owner?: string
  /** What write number `n` added. Never the whole text: a long reply would be copied with every piece. */
  readonly added?: DraftChunk & { readonly n: number }
}

/** About what a database held that is gone. */
export interface LostData {
  readonly sessions: number
  /** Of the session changed last, in milliseconds since 1970; a few seconds may be missing. */
  readonly updatedAt: number
}

/**
 * Something the user should know about the store itself. `upgradeBlocked`: older tabs are to be closed, the opening
 * goes on by itself then; `upgrading` (again each second): older data is brought to the format of this release;
 * `upgradeRequired`: this tab is old, and is to be reloaded.
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
  readonly message: string
  /** With `dataLost`: what is known to be missing. */
  readonly lost?: LostData
  /** With `spaceLow`. */
  readonly space?: SpaceReport
  /**
   * With `retained`: the sessions that something was done to. With `recordSkipped`: the one of which a part can't be
   * read.
   */
  readonly keys?: readonly string[]
}

/** How much room there is. */
export interface SpaceReport {
  /**
   * The browser's own figures for the origin, where it gives them: its limit may be higher than what the disk has left.
   */
  readonly originBytes?: number
  readonly quotaBytes?: number
  /** About how much the write needed that found no room. */
  readonly neededBytes?: number
  readonly reclaimable?: Reclaimable
}

export type StoreChange = SessionChange | DraftChange | NoticeChange

/** Receives every change a store makes, after it is stored. */
export type ChangeSink = (change: StoreChange) => void

/**
 * A part of a streamed reply, or a piece of one: pieces that follow each other are joined, those of a tool's input by
 * the id of its call. `toolInput` is the JSON text that a tool is called with, as far as it has come; `part` is a whole
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

/** A reply that is being streamed and is not an entry yet. */
export interface DraftView {
  readonly id: string
  readonly branch: string
  readonly role: string
  /** All of its text, and all of its reasoning. */
  readonly text: string
  readonly reasoning: string
  /** Everything it has, in the order it came. */
  readonly parts: readonly DraftPart[]
  readonly startedAt: number
  /** The number of the next write. */
  readonly next: number
  /** The interrupted entry that it goes on with: one reply, of which the draft has the beginning too. */
  readonly resumes?: { readonly branch: string; readonly order: string }
}
