import { SessionError } from '../../../contract/errors.ts'
import { toWellFormed } from '../../../domain/to-well-formed.ts'
import { isObject } from '../../../formats/is-plain-object.ts'

/** The fields of a session in an index. */
export interface AixgoMeta {
  readonly agentName?: string
  readonly userId?: string
  /** As written: up to nine digits after the second. */
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly currentLeaf?: string
}

/**
 * Reads `sessions.json`: an object with the metadata by session id. Rows of another form are left out.
 *
 * @throws InvalidInput when it is not such an index
 */
export function readIndex(found: unknown): ReadonlyMap<string, AixgoMeta> {
  if (!isObject(found)) throw new SessionError('InvalidInput', 'it is not an index of sessions')
  return new Map(
    Object.entries(found).flatMap(([id, row]) => (isRow(row) ? [[toWellFormed(id), metaOf(row)] as const] : [])),
  )
}

/** Other apps have a `sessions.json` too. */
function isRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return isObject(row) && (typeof row['id'] === 'string' || typeof row['agentName'] === 'string')
}

function metaOf(row: Readonly<Record<string, unknown>>): AixgoMeta {
  const fields = ['agentName', 'userId', 'createdAt', 'updatedAt', 'currentLeaf'] as const
  return Object.fromEntries(
    fields.flatMap((field) =>
      typeof row[field] === 'string' && row[field] !== '' ? [[field, toWellFormed(row[field])]] : [],
    ),
  )
}
