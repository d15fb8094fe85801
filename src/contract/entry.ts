import * as z from 'zod/mini'
import type { JsonObject } from './json.ts'
import type { Message } from './message.ts'

/** A hybrid logical clock reading: `hp` milliseconds since 1970 (48 bit), `hc` a counter within it (18 bit). */
export interface Clock {
  readonly hp: number
  readonly hc: number
}

/** The entry that opened the turn of an entry: its clock and its address. */
export interface TurnRef extends Clock {
  readonly w: number
  readonly s: number
}

/**
 * How many entries of each writer are known: `writer in base 36 → next sequence number`. Entry `(w, s)` is covered when
 * `s < vector[w]`.
 */
export type VersionVector = Readonly<Record<string, number>>

/** Half-open ranges of sequence numbers for each writer: `writer in base 36 → [[from, to), …]`. */
export type SequenceRanges = Readonly<Record<string, readonly (readonly [number, number])[]>>

/** Where a branch leaves its parent line. */
export interface Fork {
  /** The parent branch; `''` is main. */
  readonly branch: string
  /** Entries of the parent line up to this order belong to the branch's line. `''` starts from nothing. */
  readonly order: string
  /** The id the source gave the fork point (imports of trees); informative. */
  readonly id?: string
  /** What a restored checkpoint had seen: other entries of the lower segments are not part of the line. */
  readonly vv?: VersionVector
  /** Cuts with a clock (as an order string) up to this one apply to the branch. Absent: the branch's own opener. */
  readonly cuts?: string
}

/**
 * One immutable entry of a session's log. `(w, s)` (writer, sequence number without gaps) is its address and identity;
 * a session is a set of entries, and merging two devices is set union. `order` is its position when the log is read.
 */
export interface Entry {
  /** Writer: a random 53-bit integer, drawn for each boot and session. Imports use a hash of their source. */
  readonly w: number
  /** Sequence number of this writer in this session, from 0, no gaps. */
  readonly s: number
  /** The branch written to: `''` is main, otherwise the id of the `branch` entry that opened it. */
  readonly branch: string
  /**
   * A control type (see {@link controlTypes}) or a positional one, which has a place in the conversation: `message`,
   * `model_change`, `thinking_level_change`, `branch_summary`, `custom`, `custom_message`, `label`, `session_info`.
   * Unknown types are positional: kept, never shown as messages.
   */
  readonly type: string
  readonly data: JsonObject
  /** Author's wall clock in milliseconds since 1970, for display only. */
  readonly at: number
  readonly clock: Clock
  /** Absent: the entry opens its own turn. */
  readonly turn?: TurnRef
  /** Clock of the first entry of a later run of the turn. Absent: the first run, by the writer that opened the turn. */
  readonly run?: Clock
  /** Static sortable text, 20 to 51 characters; see `order.ts` for how it is packed. */
  readonly order: string
  /** CRC-32 of the canonical JSON of everything above. */
  readonly crc: number
}

/**
 * Types of entries that describe the others. Each opens its own turn and sorts after everything its writer had seen.
 */
export const controlTypes = [
  'branch',
  'head',
  'cut',
  'compaction',
  'edit',
  'meta',
  'checkpoint',
  'delete',
  'undelete',
  'purge',
] as const

export type ControlType = (typeof controlTypes)[number]

const wholeNumber = z.int().check(z.nonnegative())
const vectorSchema = z.record(z.string(), wholeNumber)
const optionalVector = z.optional(vectorSchema)
const rangesSchema = z.record(
  z.string(),
  z.array(z.tuple([z.int().check(z.nonnegative()), z.int().check(z.nonnegative())])),
)
const anyObject = z.looseObject({})

const messageSchema = z.looseObject({ role: z.string() })

/** The data of each control type and of messages; other types have any object. */
export const dataSchemas = {
  message: z.looseObject({ message: messageSchema, mid: z.optional(z.string()) }),
  branch: z.looseObject({
    fork: z.looseObject({
      branch: z.string(),
      order: z.string(),
      id: z.optional(z.string()),
      vv: optionalVector,
      cuts: z.optional(z.string()),
    }),
    head: z.boolean(),
    name: z.optional(z.string()),
  }),
  head: z.looseObject({ branch: z.string() }),
  cut: z.looseObject({ order: z.string(), vv: vectorSchema, clears: z.optional(z.boolean()) }),
  compaction: z.looseObject({ order: z.string(), vv: vectorSchema, summary: z.string() }),
  edit: z.looseObject({
    branch: z.string(),
    order: z.string(),
    value: z.nullable(z.looseObject({ message: z.optional(messageSchema) })),
  }),
  meta: z.looseObject({
    set: anyObject,
    target: z.optional(
      z.looseObject({
        branch: z.optional(z.string()),
        checkpoint: z.optional(z.string()),
        branches: z.optional(z.array(z.string())),
        checkpoints: z.optional(z.array(z.string())),
      }),
    ),
  }),
  checkpoint: z.looseObject({
    branch: z.string(),
    order: z.string(),
    vv: vectorSchema,
    seen: z.optional(z.looseObject({ checksum: z.string(), messages: wholeNumber, erased: wholeNumber })),
  }),
  // `life`: the life of the session that it is about (absent: the first); `kept`: deleted because it was purged
  // elsewhere.
  delete: z.looseObject({ vv: vectorSchema, life: z.optional(wholeNumber), kept: z.optional(z.boolean()) }),
  undelete: z.looseObject({ life: z.optional(wholeNumber) }),
  // `controls`: those of the ranges that are edits, metadata, checkpoints and compactions. The others are line entries.
  // `summary`: the clock of a summary in the metadata that nothing shows any more.
  purge: z.looseObject({ ranges: rangesSchema, controls: z.optional(rangesSchema), summary: z.optional(z.string()) }),
} as const

/** Whose fields a `meta` entry sets, if not the session's: those of one branch or checkpoint, or of many. */
export interface MetaTarget {
  readonly branch?: string
  readonly checkpoint?: string
  readonly branches?: readonly string[]
  readonly checkpoints?: readonly string[]
}

const clockFields = { hp: z.int().check(z.nonnegative()), hc: z.int().check(z.nonnegative()) }

/**
 * The outer shape of an entry from elsewhere (sync, import). Rules between the fields are checked by `validateEntry` in
 * the domain.
 */
export const entrySchema = z.object({
  w: z.int().check(z.nonnegative()),
  s: z.int().check(z.nonnegative()),
  branch: z.string(),
  type: z.string().check(z.minLength(1)),
  data: anyObject,
  at: z.number(),
  clock: z.object(clockFields),
  turn: z.optional(z.object({ ...clockFields, w: z.int().check(z.nonnegative()), s: z.int().check(z.nonnegative()) })),
  run: z.optional(z.object(clockFields)),
  order: z.string(),
  crc: z.int().check(z.nonnegative()),
})

/** The data of a `message` entry. `mid` is the host library's message id: not unique, not an entry id. */
export interface MessageData {
  readonly message: Message
  readonly mid?: string
}

/**
 * A message to append. `mid` defaults to the message's own `id` if that is a non-empty string; `at` (ms since 1970) to
 * now.
 */
export interface MessageInput<M extends object = Message> {
  readonly type: 'message'
  readonly message: M
  readonly mid?: string
  readonly at?: number
}

/**
 * Any other positional entry to append (`model_change`, `label`, `custom`, …). Control types are refused; use their
 * methods.
 */
export interface LineInput {
  readonly type: string
  readonly data: JsonObject
  readonly mid?: string
  readonly at?: number
}

export type EntryInput<M extends object = Message> = MessageInput<M> | LineInput

/** An entry as a caller sees it: edits are applied; `message` for messages, `data` for every other type. */
export interface EntryView<M extends object = Message> {
  /** The address as a string, `writer.sequence` in base 36: the id of the entry on every device. */
  readonly id: string
  readonly branch: string
  readonly order: string
  readonly type: string
  readonly at: number
  /** The first 20 characters of `order`: equal for all entries of one turn. */
  readonly turn: string
  readonly message?: M
  readonly data?: JsonObject
  /** Host library's message id, when there is one. */
  readonly mid?: string
  /** Id of the edit that replaced the content. */
  readonly edit?: string
}

/** Names one entry: by its position (any {@link EntryView} will do), or by its host message id. */
export type EntryRef = { readonly branch: string; readonly order: string } | { readonly mid: string }

/** What an append returns for each entry: enough to name it and to place it on the screen. */
export interface EntryReceipt {
  readonly id: string
  readonly branch: string
  readonly order: string
  readonly at: number
}
