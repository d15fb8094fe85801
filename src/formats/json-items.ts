import { SessionError } from '../contract/errors.ts'

/** Bytes an item may have. What is longer is not kept, so that memory stays bounded whatever the file. */
export const itemLimit = 32 * 1024 * 1024

/** Lists and objects inside each other that are still looked at; our entries take a quarter of that. */
const depthLimit = 1000

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/** An element of a list, or one of the objects that a file holds. */
export interface JsonItem {
  /** From 1. */
  readonly number: number
  /** Where it begins in the source, in bytes. */
  readonly offset: number
  readonly bytes: number
  /** Invalid UTF-8 is U+FFFD. Absent when it is too long or too deep. */
  readonly text?: string
}

export interface ItemSplitter {
  /** Whether the file is a list, once something has been read. */
  readonly isList: boolean
  /**
   * Takes the next bytes and gives the items they complete. Keeps no reference to them.
   *
   * @throws InvalidInput with the place, where this can't be JSON
   */
  push(bytes: Uint8Array): JsonItem[]
  /** @throws InvalidInput when the file breaks off */
  end(): JsonItem[]
}

/**
 * Cuts a JSON text into the elements of the list that it is, so that each can be parsed by itself and the whole is
 * never held; a file that is one object, or several one after the other, gives those. Looks only for brackets and
 * strings: what lies between them `JSON.parse` will judge, which is far faster than a parser in JavaScript.
 */
export function createItemSplitter(limit = itemLimit): ItemSplitter {
  const decoder = new TextDecoder()
  /**
   * `value`: one is wanted; `first`: one, or the end of the list; `after`: a comma, or the end; `item`: inside of one;
   * `done`: only an object, of a file without list.
   */
  let state: 'start' | 'first' | 'value' | 'item' | 'after' | 'done' = 'start'
  let isList = false
  let offset = 0
  let depth = 0
  let deepest = 0
  let isText = false
  let isEscaped = false
  let number = 0
  let begin = 0
  let length = 0
  let parts: Uint8Array[] = []

  function fail(at: number, found: string): never {
    const where = number === 0 ? '' : `, behind item ${number}`
    throw new SessionError(
      'InvalidInput',
      `This is no JSON: ${found} at byte ${at}${where}. Nothing was imported; download the file again.`,
    )
  }

  /** Keeps a part of the current item. */
  function keep(part: Uint8Array): void {
    length += part.length
    if (length <= limit) parts.push(part.slice())
    else parts = []
  }

  function close(): JsonItem {
    const isKept = length <= limit && deepest <= depthLimit
    const text = isKept ? decoder.decode(joined(parts, length)) : undefined
    const item = { number: (number += 1), offset: begin, bytes: length, ...(text === undefined ? {} : { text }) }
    parts = []
    length = 0
    state = isList ? 'after' : 'done'
    return item
  }

  /** A byte between items. Whether it begins one. */
  function between(byte: number, at: number): boolean {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return false
    // A byte order mark.
    if (at < 3 && byte === [0xef, 0xbb, 0xbf][at]) return false
    if (state === 'start' && byte === openList) {
      isList = true
      state = 'first'
      return false
    }
    if (state === 'after' && byte === comma) {
      state = 'value'
      return false
    }
    if ((state === 'after' || state === 'first') && byte === closeList) {
      state = 'done'
      return false
    }
    const isStart =
      state === 'start' || (state === 'done' && !isList)
        ? byte === openObject
        : (state === 'first' || state === 'value') && byte !== comma && byte !== closeList && byte !== closeObject
    if (!isStart)
      fail(
        at,
        state === 'done' ? 'it goes on after its end' : state === 'after' ? 'a comma is missing' : 'there is no value',
      )
    return true
  }

  function push(bytes: Uint8Array): JsonItem[] {
    const items: JsonItem[] = []
    let from = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number
      if (state !== 'item') {
        if (!between(byte, offset + i)) continue
        state = 'item'
        from = i
        begin = offset + i
        depth = 0
        deepest = 0
      }
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isText = false
        else if (byte < 0x20) fail(offset + i, 'a text is not closed, or holds a line break,')
        continue
      }
      if (byte === quote) isText = true
      else if (byte === openObject || byte === openList) deepest = Math.max(deepest, (depth += 1))
      else if (byte === closeObject || byte === closeList) {
        depth -= 1
        if (depth > 0) continue
        // Behind a number or a word, the bracket is the list's.
        if (depth === 0) keep(bytes.subarray(from, i + 1))
        else {
          keep(bytes.subarray(from, i))
          i -= 1
        }
        items.push(close())
      } else if (byte === comma && depth === 0) {
        keep(bytes.subarray(from, i))
        items.push(close())
        i -= 1
      }
    }
    if (state === 'item') keep(bytes.subarray(from))
    offset += bytes.length
    return items
  }

  return {
    get isList() {
      return isList
    },
    push,
    end() {
      if (state === 'item') fail(offset, `it breaks off in the middle of an item that begins at byte ${begin},`)
      if (state !== 'done') fail(offset, 'it breaks off')
      return []
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
