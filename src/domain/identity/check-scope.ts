import type { SessionScope } from '../../contract/scope.ts'
import { listAt, objectAt, refusal } from './identity-input.ts'

/**
 * Accepts a scope from anywhere (a file, another server, an untyped caller), or refuses it. Extra fields are ignored;
 * missing dimensions and values may be `null`, as Go writes them.
 *
 * @throws InvalidInput with the place and the value found there
 */
export function checkScope(scope: unknown, path = 'scope'): SessionScope {
  if (typeof scope !== 'object' || scope === null || Array.isArray(scope))
    throw refusal(path, scope, 'Pass a session scope: an object with version, agent_id, channel and account.')
  const { version, agent_id, channel, account, dimensions, values } = scope as Readonly<Record<string, unknown>>
  if (version !== 1) throw refusal(`${path}.version`, version, 'Only version 1 is supported.')
  for (const [name, value] of Object.entries({ agent_id, channel, account })) checkText(value, `${path}.${name}`)
  listAt(dimensions, `${path}.dimensions`).forEach((name, i) => checkText(name, `${path}.dimensions[${i}]`))
  for (const [name, value] of Object.entries(objectAt(values, `${path}.values`)))
    checkText(value, `${path}.values.${name}`)
  return scope as SessionScope
}

function checkText(value: unknown, path: string): void {
  if (typeof value !== 'string') throw refusal(path, value, 'Pass a string.')
}
