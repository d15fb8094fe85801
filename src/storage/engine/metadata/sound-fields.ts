import {
  anyObject,
  type Check,
  exactly,
  fields,
  flag,
  listOf,
  number,
  optional,
  orNull,
  recordOf,
  text,
} from '../../../contract/check.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { MetaPatch } from '../../../contract/meta.ts'

const texts = listOf(text)

/** The form of a usable scope. Missing dimensions and values may be `null`, as Go writes them. */
const scope = fields({
  version: exactly(1),
  agent_id: text,
  channel: text,
  account: text,
  dimensions: optional(orNull(texts)),
  values: optional(orNull(recordOf(text))),
})

/** The form of each usable metadata field. Unknown fields may have any value. */
const checks = {
  title: text,
  suggestedTitle: text,
  summary: text,
  agentId: text,
  userId: text,
  id: text,
  promotedTo: text,
  tags: texts,
  aliases: texts,
  memo: anyObject,
  custom: anyObject,
  contextState: anyObject,
  scope,
  archived: flag,
  ttl: number,
  restartedAt: number,
} satisfies Record<keyof MetaPatch | 'promotedTo' | 'restartedAt', Check> as Readonly<Record<string, Check>>

/**
 * The usable ones of a session's metadata fields. Another device or a file may set any value: unusable values stay in
 * the log, but read as if they were not set.
 */
export function soundFields<Fields extends object>(given: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => !Object.hasOwn(checks, field) || checks[field]!(value as JsonValue | undefined) === undefined,
    ),
  ) as Partial<Fields>
}
