import { type Check, exactly, fields, listOf, optional, recordOf, text } from './check.ts'
import type { SessionScope } from './scope.ts'

/** `scopeSchema` without zod. */
export const checkScope: Check = fields({
  version: exactly(1),
  agent_id: text,
  channel: text,
  account: text,
  dimensions: optional(listOf(text)),
  values: optional(recordOf(text)),
} satisfies Record<keyof SessionScope, Check>)
