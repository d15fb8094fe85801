import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { describeJson } from '../../../formats/describe-json.ts'
import { isObject } from '../../../formats/is-plain-object.ts'

/** The newest version of the format that this reader supports. */
const newestVersion = 3

/** The first line of a pi session log. */
export interface PiHeader {
  /** Id of the session. */
  readonly id: string
  /** Its other fields: `version` (absent in version 1), `timestamp`, `cwd`, `parentSession`, `provider`, … */
  readonly fields: JsonObject
}

/**
 * Source: pi, session format: the first line that is JSON must be of type `session` and have a string id.
 *
 * @param found - the first JSON value of the file
 * @throws InvalidInput when it is not a header; VersionConflict when newer code wrote it
 */
export function parseHeader(found: unknown): PiHeader {
  if (!isObject(found) || found['type'] !== 'session') throw refusal(`its first line contains ${describeJson(found)}`)
  const { type: _, id, ...rest } = found
  if (typeof id !== 'string' || id.trim() === '')
    throw refusal(`the id of its session is ${JSON.stringify(id) ?? 'missing'}`)
  const { version } = rest
  if (typeof version === 'number' && version > newestVersion) {
    throw new SessionError(
      'VersionConflict',
      `This session log has version ${version}, but this app supports only versions up to ${newestVersion}. Update the app.`,
    )
  }
  const header = normaliseJson({ id, fields: rest }, { path: 'header', maxDepth: 250, maxBytes: 1024 * 1024 })
    .value as JsonObject
  return { id: (header['id'] as string).trim(), fields: header['fields'] as JsonObject }
}

/** The error for a file that is not a session log. */
export function refusal(found: string): SessionError {
  return new SessionError(
    'InvalidInput',
    `This is not a session log of pi: ${found}. Its first line must be {"type":"session","id":"…",…}. Nothing was imported.`,
  )
}
