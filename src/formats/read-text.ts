import type { ByteSource } from './byte-source.ts'
import { readBytes } from './byte-source.ts'

/** The maximum size of a file that is read as a whole, in bytes. */
export const textLimit = 128 * 1024 * 1024

/**
 * Reads the whole text of a file, without its byte order mark; invalid UTF-8 becomes U+FFFD. `undefined` when it is too
 * long.
 *
 * @param onRead - called with the bytes of each piece
 */
export async function readText(
  bytes: ByteSource,
  { signal, onRead }: { readonly signal?: AbortSignal; readonly onRead?: (bytes: number) => void } = {},
): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const piece of readBytes(bytes, signal)) {
    length += piece.length
    if (length <= textLimit) text += decoder.decode(piece, { stream: true })
    onRead?.(piece.length)
  }
  return length > textLimit ? undefined : text + decoder.decode()
}
