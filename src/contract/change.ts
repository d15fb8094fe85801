import type { EntryView } from './entry.ts'
import type { SessionListing } from './meta.ts'
import type { Reclaimable } from './store.ts'

/** Where a row stands. Feeds name rows, never "after this order": an entry may sort before ones already seen (log-model B2). */
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
  /** Entries were erased for good, by `compact` here or elsewhere: what is copied of them is to go as well. */
  readonly erased?: true
  /** The session's row in the list; absent when it is gone for good. */
  readonly listing?: SessionListing
}

/** Text of a reply that is being streamed grew, or the draft ended. */
export interface DraftChange {
  readonly type: 'draft'
  readonly key: string
  readonly draft: string
  /** The whole draft after this write; absent when it was sealed or dropped. */
  readonly view?: DraftView
}

/** Something the user should know about the store itself. */
export interface NoticeChange {
  readonly type: 'notice'
  readonly name: 'upgradeRequired' | 'upgradeBlocked' | 'dataLost' | 'refilled' | 'workerRestarted' | 'degraded' | 'moved' | 'recordSkipped' | 'repaired' | 'spaceLow' | 'retained'
  readonly message: string
  /** With `spaceLow`. */
  readonly space?: SpaceReport
  /** With `retained`: the sessions that something was done to. */
  readonly keys?: readonly string[]
}

/** How much room there is. */
export interface SpaceReport {
  /** The browser's own figures for the origin, where it gives them: its limit may be higher than what the disk has left. */
  readonly originBytes?: number
  readonly quotaBytes?: number
  /** About how much the write needed that found no room. */
  readonly neededBytes?: number
  readonly reclaimable?: Reclaimable
}

export type StoreChange = SessionChange | DraftChange | NoticeChange

/** Receives every change a store makes, after it is stored. */
export type ChangeSink = (change: StoreChange) => void

/** A piece of a streamed reply. */
export interface DraftChunk {
  readonly text?: string
  readonly reasoning?: string
}

/** A reply that is being streamed and is not an entry yet. */
export interface DraftView {
  readonly id: string
  readonly branch: string
  readonly role: string
  readonly text: string
  readonly reasoning: string
  readonly startedAt: number
}
