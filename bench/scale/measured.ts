import type { GroundSize } from './ground.ts'
import type { Growth } from './row.ts'

/** What one call took. */
export interface Call {
  readonly ms: number
  /** Whether other sessions were touched just before, so that nothing was kept of this one. */
  readonly isCold: boolean
  /** The longest task of the page meanwhile, of those of 50 ms and more; else 0. */
  readonly longestTask: number
  /** Milliseconds since 1970: what the processes held meanwhile is looked up by them. */
  readonly from: number
  readonly to: number
}

/** All calls of a row on one ground. */
export interface Measured {
  readonly row: string
  readonly ground: GroundSize
  /** What grows from ground to ground. */
  readonly axis: 'messages' | 'sessions'
  readonly messages: Growth
  readonly sessions: Growth
  readonly calls: readonly Call[]
  /** Why it failed. */
  readonly error?: string
  /** How often it told how far it is, where it can. */
  readonly told?: number
  /** How it ended when its signal fired, and after how long, where it can. */
  readonly stopped?: { readonly outcome: string; readonly ms: number }
  readonly isWhole?: string
  /** Megabytes that the browser held more, at most, than before. Added outside of the page. */
  readonly megabytes?: number
}

/** What the rig is told to do. */
export interface ScaleOptions {
  /** Messages of the one session, ascending. */
  readonly sizes: readonly number[]
  /** Numbers of sessions, ascending. */
  readonly counts: readonly number[]
  readonly reps: number
  /** Only rows whose name has one of these in it, with commas between. */
  readonly only: string
  /**
   * Goes on with what the last run has left: what was measured is not measured again, and stands in the same tables.
   */
  readonly resume: boolean
}

/** What a run leaves, row by row. */
export interface ScaleRun {
  readonly sizes: readonly number[]
  readonly counts: readonly number[]
  readonly reps: number
  readonly minutes: number
  readonly measured: readonly Measured[]
  readonly extremes: readonly Extreme[]
  readonly unmeasured: readonly string[]
}

/** Something that nobody does every day. */
export interface Extreme {
  readonly name: string
  readonly ms: number
  /** The longest task of all pages meanwhile, by the clock. */
  readonly longestTask: number
  /** What a task of a page was at work itself, at most. */
  readonly busy: number
  readonly isWhole?: string
  readonly error?: string
}
