import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import type { ChatRequest } from './attach-types.ts'

export interface RequestParts {
  /** System messages at the start of the request. */
  readonly instructions: readonly Message[]
  readonly rest: readonly Message[]
  readonly signal: AbortSignal | undefined
}

/** @throws InvalidInput */
export function partsOfRequest(request: ChatRequest): RequestParts {
  const { messages, signal } = ((request as unknown) ?? {}) as {
    readonly messages?: unknown
    readonly signal?: unknown
  }
  if (!Array.isArray(messages))
    throw new SessionError(
      'InvalidInput',
      'A request to a chat with a session must have the form { messages: [...] } with the new messages.',
    )
  const list = messages as readonly Message[]
  const first = list.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const count = first < 0 ? list.length : first
  return {
    instructions: list.slice(0, count),
    rest: list.slice(count),
    signal: signal instanceof AbortSignal ? signal : undefined,
  }
}
