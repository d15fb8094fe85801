import type { Clock, Entry, Fork, SequenceRanges, TurnRef, VersionVector } from './entry.ts'
import type { JsonObject } from './json.ts'
import type { MetaField } from './meta.ts'
import type { OperationRow } from './operation-row.ts'
import type { OpenSum } from './sums.ts'

/**
 * A log entry as it is stored in a record. The winning edit is cached with it, so that a page needs no second lookup.
 */
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

/** What one view of the head line shows; every commit updates it. */
export interface ViewState {
  /** Nothing at or below this order is visible, except `late`. */
  readonly floor: string
  /** Orders below the floor that are visible nevertheless, because the cut had not seen them. */
  readonly late: readonly string[]
  /** Visible message entries. */
  readonly messages: number
  /** Sum of their token estimates. */
  readonly tokens: number
}

/** The last visible entry of the head line: what a writer needs to continue its turn. */
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

/** Small records at the end of the head's lane, counted so that they are joined in time. */
interface PackState {
  /** Key of the first of them; `''` when there are none. */
  readonly from: string
  /** Entries in them. */
  readonly count: number
}

/**
 * A session's small row, rewritten by every commit (≤ 1 kB except for long titles and tags). It has everything that an
 * append and the list need, and is a fold of the entries.
 */
export interface HotRow {
  readonly key: string
  /** Local number of the session in this database, which record keys contain instead of the long session key. */
  readonly session: number
  /** Counts commits. A commit states the version that it was planned on. */
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
  /** Highest order in the head's lane. */
  readonly lastOrder: string
  /** Highest order in the raw view of the head line; `''` if it is empty. */
  readonly lineEnd: string
  readonly transcript: ViewState
  readonly context: ViewState
  readonly tail?: TailState
  readonly pack: PackState
  /** Absent while it is unknown. */
  readonly open?: OpenSum
  /** What a checkpoint of the head line would see. Absent while it is unknown. */
  readonly seen?: SeenState
  /** The version since which blocks of sums are valid; earlier ones are not. Absent: all are valid. */
  readonly sums?: number
  /** Number of operations ever stored, for pruning. */
  readonly operations: number
  /** The newest operations, before they are moved to a row of their own together. */
  readonly recent: readonly OperationRow[]
  /** The first user message on the transcript of the head line, and the title made from it. */
  readonly auto?: { readonly order: string; readonly title: string }
  readonly title?: string
  readonly suggestedTitle?: string
  readonly archived?: boolean
  readonly tags?: readonly string[]
  readonly agentId?: string
  readonly userId?: string
  readonly ttl?: number
  readonly deletedAt?: number
  /** As {@link SessionListing} says. */
  readonly kept?: true
  readonly life?: number
  readonly promotedTo?: string
  /** When a deleted session was restarted, on whichever device. */
  readonly restartedAt?: number
  /** Version at which it was restarted here; earlier drafts are gone. */
  readonly restarted?: number
  /** Keys of sessions here whose log continues in this one: earlier operations are found there. */
  readonly formerly?: readonly string[]
}

export interface BranchRow {
  /** The order of the entry that opened the branch: its clock, and where the branch's own segment begins. */
  readonly order: string
  readonly at: number
  readonly fork: Fork
  readonly name?: string
}

export interface CutRow {
  /** The order of the control entry: when it was made. */
  readonly clock: string
  /** The control entry's address. */
  readonly w: number
  readonly s: number
  readonly branch: string
  /** It hides everything up to this order that `vv` had seen. */
  readonly order: string
  readonly vv: VersionVector
  /** The line was cleared, so that summaries of the hidden part are hidden from a model as well. */
  readonly clears?: true
}

export interface CompactionRow extends CutRow {
  readonly id: string
  readonly summary: string
  readonly data: JsonObject
}

/** What a checkpoint remembers of the messages it saw. */
export interface SeenMessages {
  /** SHA-256 in hex of their concatenated ids. Source: Aixgo */
  readonly checksum: string
  /** How many there were. */
  readonly messages: number
  /** How many of the entries that it knew had been erased by then. */
  readonly erased: number
}

/** Messages that were seen, in a form that more can be added to: see `seen-messages.ts`. */
export interface SeenState {
  readonly messages: number
  /** Intermediate state of the checksum of their ids (`sha256.ts`). */
  readonly digest: { readonly words: string; readonly rest: string; readonly length: number }
}

export interface CheckpointRow {
  readonly clock: string
  readonly at: number
  readonly branch: string
  readonly order: string
  readonly vv: VersionVector
  readonly label?: string
  /** Whether it has metadata. They are read from its entry, at `clock`: of any size, they would be rewritten with the row. */
  readonly metadata?: true
  /** Whether it has a state, which is read from there, too. */
  readonly state?: true
  /** Absent in checkpoints that were made before checksums existed. */
  readonly seen?: SeenMessages
}

/** A session's large row, rewritten only by control entries and merges: the fold of everything except line entries. */
export interface ColdRow {
  readonly version: number
  readonly vv: VersionVector
  /**
   * Small local numbers of the branches, in the order in which they were first seen; main is 0, and the lane of control
   * entries is −1.
   */
  readonly lanes: Readonly<Record<string, number>>
  readonly branches: Readonly<Record<string, BranchRow>>
  /** For each branch that was ever the head: the clock (order) of the latest entry that made it the head. */
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
  /** Number of entries of each other branch that arrived after the head was last moved: a reason to offer that line. */
  readonly newer: Readonly<Record<string, number>>
  /** Edits whose target has not arrived: `branch + ' ' + order` → the winning edit. */
  readonly pending: Readonly<Record<string, EditMark>>
  /**
   * Line entries, checkpoints and compactions that count no more, and edits and metadata that do so as soon as what
   * replaced them is here. All but the line entries are in `purgedControls`, too.
   */
  readonly purged: SequenceRanges
  readonly purgedControls?: SequenceRanges
  /**
   * The only writer of imported rows in this session; `''`: there may be several, so that new rows may be copies of
   * stored ones.
   */
  readonly importer?: string
  /** There may be imported rows of several writers with equal ids. */
  readonly hasCopies?: true
  /** Entries that became unreadable: they are accepted again when another device has them. */
  readonly lost?: SequenceRanges
}

/** Both rows of a session. */
export interface SessionRows {
  readonly hot: HotRow
  readonly cold: ColdRow
}
