import type { MessageStream } from '../../../client/message-stream-types.ts'
import { createMessageStream } from '../../../client/session/message-stream.ts'
import type { MessageInput } from '../../../contract/entry.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { SessionPlace } from '../memo-types.ts'

/** The log to which a chat's messages are written. */
export interface SessionLog {
  readonly store: SessionStore
  readonly key: string
  append(messages: readonly Message[]): Promise<void>
  /** Starts a reply of the assistant that is stored while it grows. */
  stream(): MessageStream
}

/**
 * The log of a session. If the session is deleted after the first write, it stays deleted: later writes are refused.
 */
export function openSessionLog(place: SessionPlace): SessionLog {
  const { store } = place
  if ('session' in place) {
    const { session } = place
    return {
      store,
      key: session.key,
      append: async (messages) => void (messages.length > 0 && (await session.appendAll(messages.map(entryOf)))),
      stream: () => session.stream(),
    }
  }
  const { key } = place
  let onDeleted: 'refuse' | 'restart' = 'restart'
  return {
    store,
    key,
    append: async (messages) => {
      if (messages.length === 0) return
      await store.append(key, messages.map(entryOf), { onDeleted })
      onDeleted = 'refuse'
    },
    stream: () => createMessageStream(store, key, { onDeleted }, async () => undefined),
  }
}

const entryOf = (message: Message): MessageInput => ({ type: 'message', message })
