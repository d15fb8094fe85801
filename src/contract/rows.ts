import type { Clock, Entry, Fork, SequenceRanges, TurnRef, VersionVector } from './entry.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { MetaField } from './meta.ts'
import type { OpenSum } from './sums.ts'

/** A log entry as it lies in a record: the edit that won is cached beside it, so that a page needs no second lookup. */
export interface StoredEntry extends Entry {
  /** UTF-8 bytes of the data as JSON. */
  readonly bytes: number
  readonly edit?: EditMark
}

/** The winning edit of an entry: its clock (order string), its id, and the new data; `null` removes the entry. */
export interface EditMark {
  readonly order: string
  readonly id: string
  readonly value: JsonObject | null
}

/** What one view of the head line shows, kept current by every commit. */
export interface ViewState {
  /** Nothing at or below this order is visible, but for `late`. */
  readonly floor: string
  /** Orders below the floor that are visible all the same: rows the cut had not seen. */
  readonly late: readonly string[]
  /** Visible message entries. */
  readonly messages: number
  /** Sum of their token estimates. */
  readonly tokens: number
}

/** The last visible entry of the head line: what a writer that takes over a turn needs to continue it. */
export interface TailState {
  readonly branch: string
  readonly order: string
  readonly turn: TurnRef
  readonly w: number
  /** Clock of the run it belongs to; absent in the first run. */
  readonly run?: Clock
  /** Ids of tool calls of this turn that have no result yet. */
  readonly open: readonly string[]
}

/** Small records at the end of the head's lane, so that they are joined in time. */
interface PackState {
  /** Key of the first of them; `''` when there are none. */
  readonly from: string
  /** Entries in them. */
  readonly count: number
}

/**
 * A session's small row, rewritten by every commit (≤ 1 kB but for long titles and tags): all that an append and the
 * list need. Everything in it is a fold of the entries.
 */
export interface HotRow {
  readonly key: string
  /** Local number of the session in this database; stands in record keys instead of the long session key. */
  readonly session: number
  /** Counts commits. A commit names the version it was planned on. */
  readonly version: number
  /** Version at which the cold row was last written. */
  readonly coldVersion: number
  readonly createdAt: number
  readonly updatedAt: number
  /** The highest clock seen in this session. */
  readonly clock: Clock
  /** Entries stored, control entries included, and the sum of their `bytes`. */
  readonly entries: number
  readonly bytes: number
  /** Next sequence numbers of writers that are ahead of the cold row's vector. */
  readonly ahead: VersionVector
  readonly head: string
  /** Greatest order in the head's lane. */
  readonly lastOrder: string
  /** Greatest order on the head line's raw view; `''` when it is empty. */
  readonly lineEnd: string
  readonly transcript: ViewState
  readonly context: ViewState
  readonly tail?: TailState
  readonly pack: PackState
  /** Absent while nobody knows. */
  readonly open?: OpenSum
  /** What a checkpoint of the head line would see. Absent while nobody knows. */
  readonly seen?: SeenState
  /** The version since which blocks of sums count; those of before are void. Absent: since the beginning. */
  readonly sums?: number
  /** Operations ever stored, for pruning. */
  readonly operations: number
  /** The newest of them, before they get a row of their own together. */
  readonly recent: readonly OperationRow[]
  /** The first message of a user that the transcript of the head line shows, and the title made of it. */
  readonly auto?: { readonly order: string; readonly title: string }
  readonly title?: string
  readonly suggestedTitle?: string
  readonly archived?: boolean
  readonly tags?: readonly string[]
  readonly agentId?: string
  readonly userId?: string
  readonly deletedAt?: number
  /** As {@link SessionListing} says. */
  readonly kept?: true
  readonly life?: number
  readonly promotedTo?: string
  /** When a deleted session was started afresh, on whichever device. */
  readonly restartedAt?: number
  /** Version at which that was done here; drafts from before are gone. */
  readonly restarted?: number
  /** Keys of sessions here whose log goes on in this one: operations of before are found there. */
  readonly formerly?: readonly string[]
}

export interface BranchRow {
  /** The opener's order: its clock, and where the branch's own segment begins. */
  readonly order: string
  readonly at: number
  readonly fork: Fork
  readonly name?: string
}

export interface CutRow {
  /** The control entry's own order: when it was made. */
  readonly clock: string
  /** The control entry's address. */
  readonly w: number
  readonly s: number
  readonly branch: string
  /** What it hides: everything up to this order that `vv` had seen. */
  readonly order: string
  readonly vv: VersionVector
}

export interface CompactionRow extends CutRow {
  readonly id: string
  readonly summary: string
  readonly data: JsonObject
}

/** What a checkpoint remembers of the messages it saw. */
export interface SeenMessages {
  /** SHA-256 in hex of their ids, one after the other. Source: Aixgo */
  readonly checksum: string
  /** How many there were. */
  readonly messages: number
  /** How many of the entries it knew had been erased by then. */
  readonly erased: number
}

/** Messages that were seen, so that more can be: see `seen-messages.ts`. */
export interface SeenState {
  readonly messages: number
  /** How far the checksum of their ids has come (`sha256.ts`). */
  readonly digest: { readonly words: string; readonly rest: string; readonly length: number }
}

export interface CheckpointRow {
  readonly clock: string
  readonly at: number
  readonly branch: string
  readonly order: string
  readonly vv: VersionVector
  readonly label?: string
  readonly metadata?: JsonObject
  readonly state?: JsonObject
  /** Absent in checkpoints that were made before there was one. */
  readonly seen?: SeenMessages
}

/**
 * A session's large row, rewritten only by control entries and merges: the fold of everything that is not a line entry.
 */
export interface ColdRow {
  readonly version: number
  readonly vv: VersionVector
  /** Small local numbers of the branches, in the order they were first seen; main is 0, control entries lie in −1. */
  readonly lanes: Readonly<Record<string, number>>
  readonly branches: Readonly<Record<string, BranchRow>>
  /** For each branch ever made head: the clock (order) of the latest entry that did. */
  readonly heads: Readonly<Record<string, string>>
  readonly cuts: readonly CutRow[]
  readonly compactions: readonly CompactionRow[]
  readonly checkpoints: Readonly<Record<string, CheckpointRow>>
  /** Metadata fields, each a last-writer-wins register. */
  readonly fields: Readonly<Record<string, MetaField>>
  /** Fields set on branches (`branch:<id>`) and checkpoints (`checkpoint:<id>`). */
  readonly targets: Readonly<Record<string, Readonly<Record<string, MetaField>>>>
  /** `life`, `kept`: as in the hot row. */
  readonly deletion?: {
    readonly clock: string
    readonly deleted: boolean
    readonly at: number
    readonly vv: VersionVector
    readonly life?: number
    readonly kept?: true
  }
  /** Entries of each other branch that came after the head was last moved: a reason to offer that line. */
  readonly newer: Readonly<Record<string, number>>
  /** Edits whose target has not arrived: `branch + ' ' + order` → the winning edit. */
  readonly pending: Readonly<Record<string, EditMark>>
  readonly purged: SequenceRanges
  /**
   * The only writer whose imported rows are here; `''`: there may be several, so that what comes may be a copy of what
   * is here.
   */
  readonly importer?: string
  /** Imported rows with equal ids of several writers may be here. */
  readonly hasCopies?: true
  /** Entries that were here and can't be read any more: taken again when another device has them. */
  readonly lost?: SequenceRanges
}

/** Both rows of a session. */
export interface SessionRows {
  readonly hot: HotRow
  readonly cold: ColdRow
}

/** A write that may be repeated: what it was and what it gave. */
export interface OperationRow {
  readonly id: string
  /** CRC-32 and length of the canonical arguments. */
  readonly fingerprint: string
  /** What it gave; of what can be made again from the entries only where they stand. */
  readonly result: JsonValue
  /** Order of use, for pruning. */
  readonly n: number
  /**
   * The content it made: it is remembered no longer than that is there. Absent: it made none, or was stored before this
   * was kept.
   */
  readonly made?: MadeContent
  /** Which call of a page did it, where it is not the id that says so. */
  readonly call?: string
  /** The id was used before, for content that is gone. */
  readonly isRedone?: true
}

/** Where the first entry of an operation stands; `branch` only where that is a line entry. */
export interface MadeContent {
  readonly w: number
  readonly s: number
  readonly order: string
  readonly branch?: string
}
