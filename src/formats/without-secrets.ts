import type { JsonObject, JsonValue } from '../contract/json.ts'
import { isObject } from './is-plain-object.ts'

/** Names of settings that may contain secrets: keys, tokens, passwords, and headers, which contain them. */
const secretName =
  /^(authorization|bearer|(http[-_]?|extra[-_]?)?headers|cookies?|credentials?|password|passphrase|passwd)$|(api|access|private|auth|client|account|signing)[-_]?key$|secret([-_]?key)?$|token$/i

/**
 * Removes secrets from the settings of another app, at any depth. It is only needed for settings that are imported as a
 * whole.
 *
 * @param onSecret - called with the path of each secret that was left out
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
