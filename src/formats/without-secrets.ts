import type { JsonObject, JsonValue } from '../contract/json.ts'
import { isObject } from './is-plain-object.ts'

/** What apps call what nobody else may see: keys, tokens, passwords, and headers, which carry them. */
const secretName =
  /^(authorization|bearer|(http[-_]?|extra[-_]?)?headers|cookies?|credentials?|password|passphrase|passwd)$|(api|access|private|auth|client|account|signing)[-_]?key$|secret([-_]?key)?$|token$/i

/**
 * Settings of another app without its secrets, at any depth. For what is taken as a whole; where single fields are
 * chosen, none is one.
 *
 * @param onSecret - told the path of each that was left out
 */
export function withoutSecrets(settings: JsonObject, onSecret: (path: string) => void, path = ''): JsonObject {
  const inner = (value: JsonValue, at: string): JsonValue => {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one, i) => inner(one, `${at}[${i}]`))
    return isObject(value) ? withoutSecrets(value as JsonObject, onSecret, `${at}.`) : value
  }
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => {
      if (!secretName.test(name)) return [[name, inner(value!, `${path}${name}`)]]
      onSecret(`${path}${name}`)
      return []
    }),
  )
}
