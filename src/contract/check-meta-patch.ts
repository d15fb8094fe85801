import {
  anyObject,
  type Check,
  count,
  filledText,
  flag,
  listOf,
  onlyFields,
  optional,
  orNull,
  text,
  textUpTo,
} from './check.ts'
import type { MetaPatch } from './meta.ts'
import { checkScope } from './scope-check.ts'

const limitedText = textUpTo(1024)

/** `metaPatchSchema` without zod. */
export const checkMetaPatch: Check = onlyFields({
  title: optional(orNull(limitedText)),
  summary: optional(orNull(text)),
  suggestedTitle: optional(orNull(limitedText)),
  memo: optional(orNull(anyObject)),
  contextState: optional(orNull(anyObject)),
  custom: optional(orNull(anyObject)),
  archived: optional(flag),
  tags: optional(orNull(listOf(limitedText, 64))),
  agentId: optional(orNull(limitedText)),
  userId: optional(orNull(limitedText)),
  id: optional(limitedText),
  scope: optional(orNull(checkScope)),
  aliases: optional(listOf(filledText)),
  ttl: optional(orNull(count)),
} satisfies Record<keyof MetaPatch, Check>)
