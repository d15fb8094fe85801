/**
 * The number of characters that are collected before they are moved to a blob, which a browser keeps outside the heap.
 */
const gatheredChars = 1024 * 1024

export interface TextBlob {
  write(text: string): void
  /** Everything that was written. */
  blob(): Blob
}

/** Collects a file's text piece by piece, so that it is never in the heap as a whole. */
export function createTextBlob(type: string): TextBlob {
  const parts: (Blob | string)[] = []
  let from = 0
  let gathered = 0
  return {
    write(text) {
      parts.push(text)
      gathered += text.length
      if (gathered < gatheredChars) return
      parts.splice(from, parts.length - from, new Blob(parts.slice(from)))
      from = parts.length
      gathered = 0
    },
    blob: () => new Blob(parts, { type }),
  }
}
