import { isSessionError, SessionError } from '../../../contract/errors.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { LineMessage } from '../../../formats/line-nodes.ts'
import { readMessage } from './read-picoclaw-message.ts'
import type { PicoClawMeta } from './read-picoclaw-meta.ts'

export interface LegacySession extends Omit<PicoClawMeta, 'skip' | 'scope' | 'aliases'> {
  readonly messages: readonly LineMessage[]
}

/**
 * Reads a session file in the format before JSONL: `{ key, messages, summary?, created, updated }`. Unlike PicoClaw's
 * own migration, it keeps the times.
 *
 * @throws InvalidInput when it is not such a file
 */
export function readLegacy(text: string, skip: (reason: string) => void): LegacySession {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', 'it is not JSON')
  }
  if (!isObject(found) || !Array.isArray(found['messages']))
    throw new SessionError('InvalidInput', 'it is not a session of PicoClaw: it has no list of messages')
  const { key, summary, created, updated } = found
  const messages: LineMessage[] = []
  for (const [i, one] of (found['messages'] as readonly unknown[]).entries()) {
    try {
      messages.push(readMessage(one, i + 1))
    } catch (error) {
      if (!isSessionError(error)) throw error
      skip(`message ${i + 1}: ${error.message}`)
    }
  }
  return {
    ...(typeof key === 'string' && goTrim(key) !== '' ? { key } : {}),
    summary: typeof summary === 'string' ? summary : '',
    ...(typeof created === 'string' ? { createdAt: created } : {}),
    ...(typeof updated === 'string' ? { updatedAt: updated } : {}),
    messages,
  }
}
