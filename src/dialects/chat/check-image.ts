import { SessionError } from '../../contract/errors.ts'

/** The formats that models accept. SVG is refused, because its scripts could run where it is shown. */
const start = /^data:image\/(?:png|jpeg|gif|webp);base64,/i

/**
 * Checks an image that a client sends.
 *
 * @throws InvalidInput when it is not a data URI of an image in base64; TooLarge
 */
export function checkImage(value: unknown, name: string, mostBytes: number): string {
  const head = typeof value === 'string' ? start.exec(value) : null
  if (head === null)
    throw new SessionError('InvalidInput', `${name} must be a data URI of a PNG, JPEG, GIF or WebP image in base64.`)
  const uri = value as string
  const length = uri.length - head[0].length
  const bytes = Math.floor(length / 4) * 3 - (uri.endsWith('==') ? 2 : uri.endsWith('=') ? 1 : 0)
  if (bytes > mostBytes) throw new SessionError('TooLarge', `${name} has ${bytes} bytes; the limit is ${mostBytes}.`)
  if (bytes <= 0 || length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(uri.slice(head[0].length)))
    throw new SessionError('InvalidInput', `${name} is not valid base64.`)
  return uri
}
