import { SessionError } from '../../contract/errors.ts'
import { Problem } from './chat-problem.ts'

/**
 * Reads the body of a request as a JSON object, up to a maximum size.
 *
 * @throws Problem 415 when its content type is not JSON: a page of another origin can send any other type without
 * permission
 * @throws TooLarge, InvalidInput
 */
export async function readJsonBody(request: Request, mostBytes: number): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^\s*application\/json\s*(;|$)/i.test(type))
    throw new Problem(415, 'UnsupportedMediaType', `The body must be "application/json", not "${type}".`)
  if (Number(request.headers.get('content-length')) > mostBytes) throw tooLarge(mostBytes)
  const text = await readText(request, mostBytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SessionError('InvalidInput', `The body is not JSON: ${(error as Error).message}.`, { cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SessionError('InvalidInput', 'The body must be a JSON object.')
  return value as Readonly<Record<string, unknown>>
}

async function readText(request: Request, mostBytes: number): Promise<string> {
  if (request.body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = request.body.getReader()
  let bytes = 0
  let text = ''
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value.byteLength
      if (bytes > mostBytes) throw tooLarge(mostBytes)
      text += decoder.decode(piece.value, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    reader.cancel().catch(() => undefined)
    if (error instanceof TypeError)
      throw new SessionError('InvalidInput', 'The body is not UTF-8, or is incomplete.', { cause: error })
    if (request.signal.aborted)
      throw new SessionError('Aborted', 'The client disconnected while it sent its request.', { cause: error })
    throw error
  }
}

function tooLarge(mostBytes: number): SessionError {
  return new SessionError('TooLarge', `The body is over the limit of ${mostBytes} bytes.`)
}
