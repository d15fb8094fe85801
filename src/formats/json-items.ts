import { SessionError } from '../contract/errors.ts'
import { createItemGaps } from './json-item-gaps.ts'

/**
 * The maximum size of an item in bytes. A longer one is not kept, so that memory is bounded whatever the file contains.
 */
export const itemLimit = 32 * 1024 * 1024

/** How deep lists and objects may be nested in an item. Entries may have a quarter of that. */
const depthLimit = 1000

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/** An element of a list, or one of the objects in a file. */
export interface JsonItem {
  /** From 1. */
  readonly number: number
  /** Where it begins in the source, in bytes. */
  readonly offset: number
  readonly bytes: number
  /** With U+FFFD for invalid UTF-8. Absent when the item is too long or too deeply nested. */
  readonly text?: string
}

export interface ItemSplitter {
  /** Whether the file is a list. Known once its first bracket was read. */
  readonly isList: boolean
  /**
   * Takes the next bytes and returns the items that they complete. Keeps no reference to the bytes.
   *
   * @throws InvalidInput with the position, where this can't be JSON
   */
  push(bytes: Uint8Array): JsonItem[]
  /** @throws InvalidInput when the file ends too early */
  end(): JsonItem[]
}

/**
 * Cuts a JSON text that is a list into its elements, so that each can be parsed by itself and memory never holds the
 * whole. From a file that is one object, or several objects one after the other, it cuts these. It looks only for
 * brackets and strings. `JSON.parse` checks the rest, which is far faster than a parser in JavaScript.
 */
export function createItemSplitter(limit = itemLimit): ItemSplitter {
  const gaps = createItemGaps(fail)
  const item = createItemBuffer(limit)
  let offset = 0
  let isInside = false
  let depth = 0
  let deepest = 0
  let isText = false
  let isEscaped = false

  function fail(at: number, found: string): never {
    const where = item.count === 0 ? '' : `, after item ${item.count}`
    throw new SessionError(
      'InvalidInput',
      `This is not JSON: ${found} at byte ${at}${where}. Nothing was imported; download the file again.`,
    )
  }

  function open(at: number): void {
    isInside = true
    depth = 0
    deepest = 0
    item.begin(at)
  }

  function close(): JsonItem {
    isInside = false
    gaps.enter()
    return item.end(deepest <= depthLimit)
  }

  /** A byte of a string. */
  function readText(byte: number, at: number): void {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) isText = false
    else if (byte < 0x20) fail(at, 'a string is not closed, or contains a line break,')
  }

  function push(bytes: Uint8Array): JsonItem[] {
    const items: JsonItem[] = []
    let from = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number
      if (!isInside) {
        if (!gaps.isStart(byte, offset + i)) continue
        open(offset + i)
        from = i
      }
      if (isText) readText(byte, offset + i)
      else if (byte === quote) isText = true
      else if (byte === openObject || byte === openList) deepest = Math.max(deepest, (depth += 1))
      else if (byte === closeObject || byte === closeList || (byte === comma && depth === 0)) {
        if (byte !== comma) depth -= 1
        if (depth > 0) continue
        // A comma, and a bracket after a number or a word, belong to the list.
        const isOfItem = byte !== comma && depth === 0
        item.keep(bytes.subarray(from, isOfItem ? i + 1 : i))
        if (!isOfItem) i -= 1
        items.push(close())
      }
    }
    if (isInside) item.keep(bytes.subarray(from))
    offset += bytes.length
    return items
  }

  return {
    get isList() {
      return gaps.isList
    },
    push,
    end() {
      if (isInside) fail(offset, `it ends in the middle of an item that begins at byte ${item.offset},`)
      if (!gaps.isDone) fail(offset, 'it ends too early')
      return []
    },
  }
}

interface ItemBuffer {
  /** Items that have ended. */
  readonly count: number
  /** Where the current item begins. */
  readonly offset: number
  begin(at: number): void
  keep(part: Uint8Array): void
  end(isKept: boolean): JsonItem
}

/** Collects the bytes of one item after the other. */
function createItemBuffer(limit: number): ItemBuffer {
  const decoder = new TextDecoder()
  let count = 0
  let offset = 0
  let length = 0
  let parts: Uint8Array[] = []
  return {
    get count() {
      return count
    },
    get offset() {
      return offset
    },
    begin(at) {
      offset = at
    },
    keep(part) {
      length += part.length
      if (length <= limit) parts.push(part.slice())
      else parts = []
    },
    end(isKept) {
      const text = isKept && length <= limit ? decoder.decode(joined(parts, length)) : undefined
      const item = { number: (count += 1), offset, bytes: length, ...(text === undefined ? {} : { text }) }
      parts = []
      length = 0
      return item
    },
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
