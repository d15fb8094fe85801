import type { Entry } from '../contract/entry.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { isObject } from '../domain/is-object.ts'
import { readHead, writeHead } from './entry-head.ts'

/** An entry as it travels: its head and its data. If the data is only a message, it is the message alone. */
export type WireEntry = readonly [head: string, content: JsonValue]

/**
 * Levels of data. `merge` accepts no more, and data with thousands of levels does not get this far: no message between
 * page and worker can hold it.
 */
const deepest = 256

/**
 * @param checksumOf - given where the carrier detects changes: a checksum that belongs to the entry is omitted then,
 * because it follows from the rest
 */
export function toWireEntry(entry: Entry, checksumOf?: (entry: Entry) => number): WireEntry {
  const { data, ...head } = entry
  const isBare = isMessageAlone(data)
  // An entry that was damaged here travels with the checksum it should have, and is refused.
  const isUnchecked = entry.crc === checksumOf?.(entry)
  return [writeHead(head, { isBare, isUnchecked }), isBare ? data['message']! : data]
}

/**
 * The entry in an element from elsewhere, or what is wrong with it. The store checks whether its data obeys the rules
 * of its type and matches its checksum: `merge` refuses what does not.
 */
export function readWireEntry(
  w: number,
  s: number,
  element: unknown,
  checksumOf?: (entry: Entry) => number,
): Entry | string {
  if (!Array.isArray(element) || element.length !== 2) return 'it is not a pair of head and data'
  const [text, content] = element as readonly unknown[]
  const found = typeof text === 'string' ? readHead(w, s, text) : undefined
  if (found === undefined) return 'its head cannot be read'
  if (found.isUnchecked && checksumOf === undefined) return 'it has no checksum'
  const data = found.isBare ? { message: content } : content
  if (!isObject(data)) return 'its data is not an object'
  if (isMessageAlone(data as JsonObject) !== found.isBare) return 'its data is not in the form of data'
  if (isDeeper(data, deepest)) return 'it is nested too deeply'
  const entry: { -readonly [Field in keyof Entry]: Entry[Field] } = Object.assign(found.head, {
    data: data as JsonObject,
  })
  if (found.isUnchecked) entry.crc = checksumOf!(entry)
  return entry
}

function isMessageAlone(data: JsonObject): boolean {
  return data['message'] !== undefined && Object.keys(data).length === 1
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
