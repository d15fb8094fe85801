import type { JsonObject } from '../contract/json.ts'

const isText = (value: unknown): boolean => typeof value === 'string'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

function isScope(value: unknown): boolean {
  if (!isObject(value)) return false
  const { version, agent_id, channel, account, dimensions, values } = value as JsonObject
  return version === 1 && isTexts([agent_id, channel, account]) && isTexts(dimensions ?? []) && isObject(values ?? {}) && isTexts(Object.values(values ?? {}))
}

/** What each field of a session's metadata must be; fields nobody knows may be anything. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText, summary: isText, agentId: isText, userId: isText, id: isText, promotedTo: isText, tags: isTexts, aliases: isTexts, memo: isObject, custom: isObject,
  scope: isScope, archived: (value) => typeof value === 'boolean', ttl: (value) => typeof value === 'number',
}

/**
 * Those of a session's metadata fields that are what they must be. Another device or a file may set anything: what nobody can use is kept in
 * the log, and reads as if it were not set.
 */
export function soundFields<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !Object.hasOwn(checks, field) || checks[field]!(value))) as Partial<Fields>
}
