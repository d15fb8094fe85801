import * as z from 'zod/mini'
import type { JsonValue } from './json.ts'

/**
 * One part of a message's content. Every provider has its own kinds; this package reads only `type` and keeps the rest
 * as it is.
 */
const messagePartSchema = z.union([z.string(), z.looseObject({ type: z.string() })])

/**
 * One chat message. This package reads only `role` and `content`; every other field (tool calls, `reasoning_content`,
 * `media`, `metadata`, a UI message's `parts`, …) comes back deep-equal.
 */
export const messageSchema = z.looseObject({
  role: z.string().check(z.minLength(1, 'a message needs a non-empty role')),
  content: z.optional(z.union([z.string(), z.null(), z.array(messagePartSchema)])),
})

export type MessagePart = string | { readonly type: string; readonly [field: string]: JsonValue | undefined }

/**
 * One chat message: `role`, `content` (text, a list of typed parts, `null` or absent) and any further JSON fields.
 * The shapes of OpenAI, Anthropic, the AI SDK (`UIMessage`) and pi all fit.
 */
export interface Message {
  readonly role: string
  readonly content?: string | null | readonly MessagePart[]
  readonly [field: string]: JsonValue | undefined | readonly MessagePart[]
}
