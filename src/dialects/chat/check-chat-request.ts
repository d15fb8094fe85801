import { SessionError } from '../../contract/errors.ts'
import type { Message, MessagePart } from '../../contract/message.ts'
import { checkId } from '../../domain/identity/check-id.ts'
import { checkImage } from './check-image.ts'

/** What a client may ask for, checked. */
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
 * Checks `{message, sessionId?, context?, images?}`. What else is in it, a history above all, is passed over: the
 * store's is the only one.
 *
 * @throws InvalidInput, InvalidPathComponent, TooLarge
 */
export function checkChatRequest(body: Readonly<Record<string, unknown>>, mostImageBytes: number): ChatRequest {
  const { sessionId } = body
  const text = textAt(body, 'message')
  const context = textAt(body, 'context')
  const images = body['images'] ?? []
  if (!Array.isArray(images)) throw new SessionError('InvalidInput', '"images" must be a list of data URIs.')
  if (images.length > mostImages)
    throw new SessionError(
      'InvalidInput',
      `"images" holds ${images.length}; at most ${mostImages} can be sent at once.`,
    )
  const checked = images.map((image, i) => checkImage(image, `images[${i}]`, mostImageBytes))
  if (text.trim() === '' && checked.length === 0)
    throw new SessionError('InvalidInput', '"message" must be a text that says something, or there must be images.')
  if (sessionId !== undefined && sessionId !== null && typeof sessionId !== 'string')
    throw new SessionError('InvalidInput', '"sessionId" must be a text.')
  return {
    sessionId: typeof sessionId === 'string' ? checkId(sessionId, 'session') : undefined,
    message: userMessage(text, checked),
    context,
    images: checked,
  }
}

function textAt(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field] ?? ''
  if (typeof value !== 'string') throw new SessionError('InvalidInput', `"${field}" must be a text.`)
  return value
}

function userMessage(text: string, images: readonly string[]): Message {
  if (images.length === 0) return { role: 'user', content: text }
  const parts: MessagePart[] = text.trim() === '' ? [] : [{ type: 'text', text }]
  return { role: 'user', content: [...parts, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))] }
}
