/** Characters that are gathered before they go into a blob, which a browser keeps outside the heap. */
const gatheredChars = 1024 * 1024

export interface TextBlob {
  write(text: string): void
  /** Everything that was written. */
  blob(): Blob
}

/** Gathers a file's text piece by piece, so that not all of it lies in the heap at once. */
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
