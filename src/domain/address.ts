/** An entry's address as text, the same on every device: `writer.sequence`, both in base 36. */
export function entryId(w: number, s: number): string {
  return `${writerKey(w)}.${s.toString(36)}`
}

let lastWriter = 0
let lastKey = '0'

/** A writer as the key of a version vector. */
export function writerKey(w: number): string {
  // A burst of appends asks for the same writer thousands of times, and writing 53 bits in base 36 is slow.
  if (w !== lastWriter) {
    lastWriter = w
    lastKey = w.toString(36)
  }
  return lastKey
}

/**
 * Whether a text is a writer's key and may be used as the key of a vector. That excludes names such as `constructor`.
 */
export function isWriterKey(text: string): boolean {
  const w = /^[0-9a-z]{1,11}$/.test(text) ? Number.parseInt(text, 36) : Number.NaN
  return Number.isSafeInteger(w) && writerKey(w) === text
}

/** Whether a text has the form of a branch id: `''` for main, otherwise the id of the entry that opened the branch. */
export function isBranchId(text: string): boolean {
  return text === '' || parseEntryId(text) !== undefined
}

/** The address in an id; `undefined` when the text is no id. */
export function parseEntryId(id: string): { readonly w: number; readonly s: number } | undefined {
  const match = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(id)
  if (match === null) return undefined
  const w = Number.parseInt(match[1]!, 36)
  const s = Number.parseInt(match[2]!, 36)
  return Number.isSafeInteger(w) && Number.isSafeInteger(s) && entryId(w, s) === id ? { w, s } : undefined
}
