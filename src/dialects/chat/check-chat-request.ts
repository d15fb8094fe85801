import { SessionError } from '../../contract/errors.ts'
import type { Message, MessagePart } from '../../contract/message.ts'
import { checkId } from '../../domain/identity/check-id.ts'
import { checkImage } from './check-image.ts'

/** A checked request of a client. */
export interface ChatRequest {
  /** Absent: a new session. */
  readonly sessionId: string | undefined
  readonly message: Message
  /** Text for the system prompt of this request only; never stored. */
  readonly context: string
  readonly images: readonly string[]
}

const mostImages = 16

/**
 * Checks `{message, sessionId?, context?, images?}`. Other fields are ignored, above all a history, because only the
 * store's counts.
 *
 * @throws InvalidInput, InvalidPathComponent, TooLarge
 */
export function checkChatRequest(body: Readonly<Record<string, unknown>>, mostImageBytes: number): ChatRequest {
  const { sessionId } = body
  const text = textAt(body, 'message')
  const context = textAt(body, 'context')
  const images = body['images'] ?? []
  if (!Array.isArray(images)) throw new SessionError('InvalidInput', '"images" must be an array of data URIs.')
  if (images.length > mostImages)
    throw new SessionError(
      'InvalidInput',
      `"images" has ${images.length} elements; at most ${mostImages} can be sent at once.`,
    )
  const checked = images.map((image, i) => checkImage(image, `images[${i}]`, mostImageBytes))
  if (text.trim() === '' && checked.length === 0)
    throw new SessionError('InvalidInput', '"message" must be a string that is not blank, or there must be images.')
  if (sessionId !== undefined && sessionId !== null && typeof sessionId !== 'string')
    throw new SessionError('InvalidInput', '"sessionId" must be a string.')
  return {
    sessionId: typeof sessionId === 'string' ? checkId(sessionId, 'session') : undefined,
    message: userMessage(text, checked),
    context,
    images: checked,
  }
}

function textAt(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field] ?? ''
  if (typeof value !== 'string') throw new SessionError('InvalidInput', `"${field}" must be a string.`)
  return value
}

function userMessage(text: string, images: readonly string[]): Message {
  if (images.length === 0) return { role: 'user', content: text }
  const parts: MessagePart[] = text.trim() === '' ? [] : [{ type: 'text', text }]
  return { role: 'user', content: [...parts, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))] }
}
