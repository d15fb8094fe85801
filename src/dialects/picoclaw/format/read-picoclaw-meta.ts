import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { SessionScope } from '../../../contract/scope.ts'
import { checkScope } from '../../../domain/identity/check-scope.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isObject } from '../../../formats/is-plain-object.ts'

/** The content of a `.meta.json`. Times are in their original text, because JavaScript's times would lose digits. */
export interface PicoClawMeta {
  /** Absent when the file has none. */
  readonly key?: string
  readonly summary: string
  /** Lines at the start of the log that are hidden. */
  readonly skip: number
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly scope?: SessionScope
  readonly aliases: readonly string[]
}

/**
 * Reads a `.meta.json`. Invalid fields are reported and left out.
 *
 * @throws InvalidInput when it is not such a file
 */
export function readMeta(text: string, skipped: (reason: string) => void): PicoClawMeta {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw new SessionError(
      'InvalidInput',
      'it is not JSON, so that summary, scope, aliases and hidden messages are unknown',
    )
  }
  if (!isObject(found)) throw new SessionError('InvalidInput', 'it contains no metadata of a session')
  const {
    key,
    summary,
    skip,
    scope,
    aliases,
    created_at: createdAt,
    updated_at: updatedAt,
  } = normaliseJson(found).value as JsonObject
  const texts = Array.isArray(aliases)
    ? (aliases as readonly JsonValue[]).filter((alias) => typeof alias === 'string')
    : []
  return {
    ...(typeof key === 'string' && goTrim(key) !== '' ? { key } : {}),
    summary: typeof summary === 'string' ? summary : '',
    skip: typeof skip === 'number' && skip > 0 ? Math.floor(skip) : 0,
    ...(typeof createdAt === 'string' ? { createdAt } : {}),
    ...(typeof updatedAt === 'string' ? { updatedAt } : {}),
    ...readScope(scope, skipped),
    aliases: [...new Set(texts.map((alias) => goTrim(alias)))].filter((alias) => alias !== '' && alias !== key),
  }
}

function readScope(scope: unknown, skipped: (reason: string) => void): Pick<PicoClawMeta, 'scope'> {
  if (scope === undefined || scope === null) return {}
  try {
    // Go writes null for missing lists and maps; here they are absent.
    const { dimensions, values, ...rest } = checkScope(scope)
    return {
      scope: {
        ...rest,
        ...(dimensions === null || dimensions === undefined ? {} : { dimensions }),
        ...(values === null || values === undefined ? {} : { values }),
      },
    }
  } catch (error) {
    if (!isSessionError(error)) throw error
    skipped(error.message)
    return {}
  }
}
