import { SessionError } from '../contract/errors.ts'
import { type ByteSource, readBytes } from './byte-source.ts'

/**
 * Reads the whole text of a small file.
 *
 * @throws TooLarge as soon as it has more bytes than the limit
 */
export async function readSmallText(bytes: ByteSource, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const piece of readBytes(bytes)) {
    length += piece.length
    if (length > limit) throw new SessionError('TooLarge', `it has over ${Math.floor(limit / 1024 / 1024)} MiB`)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
