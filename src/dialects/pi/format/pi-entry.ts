import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { ImportNode } from '../../../domain/import-node.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { isWrittenAs, timeOf } from '../../../formats/time.ts'

/** An entry of a pi log as a node of a tree, with its place in the file. */
export interface PiNode extends ImportNode {
  /** Line of the file, from 1. */
  readonly line: number
  /**
   * Its index among the lines with JSON; the header has 0. Version 1 refers to entries by it, and it stays the same
   * when pi rewrites a log.
   */
  readonly index: number
  /** UTF-8 bytes of the entry as JSON. */
  readonly bytes: number
}

/** The context of an entry in its file. */
export interface PiPlace {
  readonly line: number
  readonly index: number
  /** Id of the entry before it. */
  readonly before: string | null
  /** Whether the file is of version 1, where each entry follows the one before. */
  readonly isLinear: boolean
}

/** Lower than the limits of stored entries, because an entry is two levels deeper than its line and has more fields. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024 }

/** The id for an entry without one: it stays the same as long as the lines before it do. */
export function positionId(index: number): string {
  return `line-${index + 1}`
}

/**
 * Reads one entry of any version. An entry without an id gets one by its position and follows the entry before (version
 * 1, and logs that pi's `forkFrom` marked as version 3). Messages of role `hookMessage` (version 2) get the role
 * `custom`.
 *
 * The data is the line without `type`, `id`, `parentId` and `timestamp`. Unknown types and fields are kept.
 *
 * @throws InvalidInput, TooLarge when it can't be stored as an entry
 */
export function parseEntry(found: unknown, place: PiPlace): PiNode {
  const { value, bytes } = normaliseJson(found, { ...limits, path: 'entry' })
  if (!isObject(value))
    throw new SessionError(
      'InvalidInput',
      `it contains ${value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`} instead of an entry`,
    )
  const { type, id, parentId, timestamp, ...rest } = value as JsonObject
  if (typeof type !== 'string' || type === '') throw new SessionError('InvalidInput', 'the entry has no type')
  if (type === 'session')
    throw new SessionError('InvalidInput', 'another session begins here: import it as a file of its own')
  const data = type === 'message' ? withMessage(rest) : rest
  const at = timeOf(timestamp) ?? timeOf((data['message'] as JsonObject | undefined)?.['timestamp']) ?? 0
  const hasId = typeof id === 'string' && id !== ''
  const follows = parentId === undefined && (place.isLinear || !hasId)
  const { firstKeptEntryId } = data
  return {
    id: hasId ? id : positionId(place.index),
    parentId: follows ? place.before : typeof parentId === 'string' ? parentId : null,
    type,
    // The original text of a time is kept if an export would write it differently.
    data: timestamp === undefined || isWrittenAs(at, timestamp) ? data : { ...data, timestamp },
    at,
    line: place.line,
    index: place.index,
    bytes,
    ...(type === 'compaction' && typeof firstKeptEntryId === 'string' ? { firstKept: firstKeptEntryId } : {}),
  }
}

function withMessage(data: JsonObject): JsonObject {
  const { message } = data
  if (!isObject(message) || typeof message['role'] !== 'string' || message['role'] === '')
    throw new SessionError('InvalidInput', 'its message has no role')
  return message['role'] === 'hookMessage' ? { ...data, message: { ...(message as JsonObject), role: 'custom' } } : data
}
