import * as z from 'zod/mini'
import type { VersionVector } from './entry.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { SessionScope } from './scope.ts'
import { scopeSchema } from './scope.ts'

/**
 * The origin of a title: none yet, the conversation (its first user message, or a suggestion), or a person who chose
 * it.
 */
export type TitleSource = 'none' | 'auto' | 'user'

/** One line of a session. The id of the main line is `''`. */
export interface BranchInfo {
  readonly id: string
  readonly name?: string
  /** The fork point; absent for main. */
  readonly fork?: { readonly branch: string; readonly order: string }
  readonly isHead: boolean
  /** Milliseconds since 1970; 0 for main. */
  readonly createdAt: number
  /** Number of entries on this line that are newer than anything on the head line: a reason to offer it to the user. */
  readonly newerThanHead: number
}

/** A saved position of one line. */
export interface CheckpointInfo {
  readonly id: string
  readonly createdAt: number
  readonly branch: string
  readonly order: string
  readonly vv: VersionVector
  /**
   * SHA-256 in hex of the concatenated ids of the messages it saw (Aixgo's rule). Absent in older checkpoints, and if a
   * record could not be read.
   */
  readonly checksum?: string
  /** How many messages it saw, including removed ones. */
  readonly messages?: number
  readonly label?: string
  /** Absent, too, while its record can't be read. */
  readonly metadata?: JsonObject
}

/** The fields of a session that a list needs; bounded in size, kept in memory by the store. */
export interface SessionListing {
  readonly key: string
  readonly title: string
  readonly titleSource: TitleSource
  readonly agentId?: string
  readonly userId?: string
  readonly archived: boolean
  readonly tags: readonly string[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970 of the newest entry. */
  readonly updatedAt: number
  /** Messages on the current line's transcript. */
  readonly messageCount: number
  /**
   * Tokens of the messages that a model would get, by ai-panel's rule (UTF-8 bytes / 4 of the content of each message).
   * It does not include the summary, the memo and messages that a compaction put in front; `Session.context()` counts
   * them all (`tokens.total`).
   */
  readonly tokenEstimate: number
  readonly deletedAt?: number
  /**
   * The session was purged on another device, but only deleted here, because it has entries that existed nowhere else.
   * It is on no other device until `undelete` restores it on all of them.
   */
  readonly kept?: true
  /** How often it was restored that way; absent: never. */
  readonly life?: number
  /**
   * Key of the session that the history moved to (L20). Since then, the key of this session is an alias of that one,
   * and the other fields are as they were at that time.
   */
  readonly promotedTo?: string
  /** Milliseconds; 0 = never. */
  readonly ttl?: number
}

/** Everything known about a session except its entries. */
export interface SessionMeta extends SessionListing {
  /** The id its source gave it (imports), otherwise the key. */
  readonly id: string
  readonly scope?: SessionScope
  readonly aliases: readonly string[]
  readonly summary: string
  readonly memo: JsonObject
  readonly custom: JsonObject
  /** What the context layer remembers of a session: settings, counters and positions. Not for apps. */
  readonly contextState: JsonObject
  /** The branch that new turns are appended to; `''` is main. */
  readonly head: string
  readonly branches: readonly BranchInfo[]
}

const limitedText = z.string().check(z.maxLength(1024, 'at most 1,024 characters'))

/** What {@link SessionStore.updateMeta} takes. A field that is `null` is unset; an absent one is left alone. */
export const metaPatchSchema = z.strictObject({
  title: z.optional(z.nullable(limitedText)),
  summary: z.optional(z.nullable(z.string())),
  suggestedTitle: z.optional(z.nullable(limitedText)),
  memo: z.optional(z.nullable(z.looseObject({}))),
  contextState: z.optional(z.nullable(z.looseObject({}))),
  custom: z.optional(z.nullable(z.looseObject({}))),
  archived: z.optional(z.boolean()),
  tags: z.optional(z.nullable(z.array(limitedText).check(z.maxLength(64)))),
  agentId: z.optional(z.nullable(limitedText)),
  userId: z.optional(z.nullable(limitedText)),
  id: z.optional(limitedText),
  scope: z.optional(z.nullable(scopeSchema)),
  aliases: z.optional(z.array(z.string().check(z.minLength(1)))),
  ttl: z.optional(z.nullable(z.int().check(z.nonnegative()))),
} satisfies Record<keyof MetaPatch, z.ZodMiniType>)

/**
 * A change to a session's metadata, field by field; each field is its own last-writer-wins register when devices merge.
 */
export interface MetaPatch {
  /** Sets `titleSource` to `user`; `null` returns to the automatic title. At most 1,024 characters. */
  readonly title?: string | null
  /**
   * An automatic title that is better than the first user message; shown unless somebody chose a title. At most 1,024
   * characters.
   */
  readonly suggestedTitle?: string | null
  readonly summary?: string | null
  readonly memo?: JsonObject | null
  readonly contextState?: JsonObject | null
  readonly custom?: JsonObject | null
  readonly archived?: boolean
  readonly tags?: readonly string[] | null
  readonly agentId?: string | null
  readonly userId?: string | null
  readonly id?: string
  readonly scope?: SessionScope | null
  readonly aliases?: readonly string[]
  readonly ttl?: number | null
}

/** One stored meta field: the clock (order string) of the entry that set it, and its value. */
export type MetaField = readonly [clock: string, value: JsonValue]
