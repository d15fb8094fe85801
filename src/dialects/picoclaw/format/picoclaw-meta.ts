import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionScope } from '../../../contract/scope.ts'
import { goTime } from '../../../formats/go-time.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { timeOf } from '../../../formats/time.ts'

/** The content of a session's `.meta.json`, fields in PicoClaw's order. The times it gave itself keep their digits, unless
 * the session has changed since. */
export function picoClawMeta(meta: SessionMeta, summary: string, skip: number, count: number): JsonObject {
  const { key, scope, aliases, custom, createdAt, updatedAt } = meta
  const times = isObject(custom['picoclaw']) ? custom['picoclaw'] : {}
  return {
    key,
    summary,
    skip,
    count,
    created_at: typeof times['created_at'] === 'string' ? times['created_at'] : goTime(createdAt),
    updated_at: isNewest(times['updated_at'], updatedAt) ? times['updated_at'] : goTime(updatedAt),
    ...(scope === undefined ? {} : { scope: scopeForm(scope) }),
    ...(aliases.length === 0 ? {} : { aliases: [...aliases] }),
  }
}

function isNewest(given: unknown, at: number): given is string {
  return typeof given === 'string' && (timeOf(given) ?? 0) >= at
}

function scopeForm({
  version,
  agent_id,
  channel,
  account,
  dimensions = [],
  values = {},
  ...rest
}: SessionScope): JsonObject {
  return {
    version,
    agent_id,
    channel,
    account,
    ...(dimensions.length === 0 ? {} : { dimensions }),
    // Go sorts the members of maps.
    ...(Object.keys(values).length === 0
      ? {}
      : { values: Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))) }),
    ...(rest as Record<string, JsonValue>),
  }
}
