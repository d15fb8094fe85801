import type { Entry } from '../contract/entry.ts'
import type { JsonValue } from '../contract/json.ts'

/** Hexadecimal digits of a SHA-256. */
const hashLength = 64

const none: ReadonlySet<string> = new Set()

/**
 * The blobs that an entry names by their hash: 64 lower-case hexadecimal digits without a further digit next to them,
 * anywhere in its data. A text that only looks like a hash keeps no blob. A real one is never missed, whatever field or
 * text contains it.
 */
export function namedBlobs({ type, data }: Pick<Entry, 'type' | 'data'>): ReadonlySet<string> {
  let found: Set<string> | undefined
  const add = (hash: string): void => void (found ??= new Set()).add(hash)
  for (const [field, value] of Object.entries(data)) {
    // The checksum in a checkpoint is computed here, and names no blob.
    if (type === 'checkpoint' && field === 'seen') continue
    findInText(field, add)
    findInValue(value, add)
  }
  return found ?? none
}

function findInValue(value: JsonValue | undefined, add: (hash: string) => void): void {
  if (typeof value === 'string') findInText(value, add)
  else if (Array.isArray(value)) for (const part of value as readonly JsonValue[]) findInValue(part, add)
  else if (typeof value === 'object' && value !== null) {
    for (const [field, part] of Object.entries(value)) {
      findInText(field, add)
      findInValue(part, add)
    }
  }
}

/**
 * Finds the hashes in a text. It reads one character in 64, because each hash contains one of those. Every append runs
 * it.
 */
function findInText(text: string, add: (hash: string) => void): void {
  for (let at = hashLength - 1; at < text.length; at += hashLength) {
    if (!isDigit(text, at)) continue
    let from = at
    let to = at + 1
    while (at - from <= hashLength && isDigit(text, from - 1)) from--
    while (to - at <= hashLength && isDigit(text, to)) to++
    if (to - from === hashLength) add(text.slice(from, to))
  }
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102)
}
