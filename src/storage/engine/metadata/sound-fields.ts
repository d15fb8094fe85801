import { anyObject, type Check, exactly, fields, flag, listOf, number, optional, orNull, recordOf, text } from '../../../contract/check.ts'
import type { JsonValue } from '../../../contract/json.ts'

const texts = listOf(text)

/** What a scope must be to be used. Missing dimensions and values may be `null`, as Go writes them. */
const scope = fields({ version: exactly(1), agent_id: text, channel: text, account: text, dimensions: optional(orNull(texts)), values: optional(orNull(recordOf(text))) })

/** What each field of a session's metadata must be to be used; fields nobody knows may be anything. */
const checks: Readonly<Record<string, Check>> = {
  title: text, suggestedTitle: text, summary: text, agentId: text, userId: text, id: text, promotedTo: text, tags: texts, aliases: texts, memo: anyObject, custom: anyObject, contextState: anyObject,
  scope, archived: flag, ttl: number, restartedAt: number,
}

/**
 * Those of a session's metadata fields that are what they must be. Another device or a file may set anything: what nobody can use is kept in
 * the log, and reads as if it were not set.
 */
export function soundFields<Fields extends object>(given: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(given).filter(([field, value]) => !Object.hasOwn(checks, field) || checks[field]!(value as JsonValue | undefined) === undefined)) as Partial<Fields>
}
