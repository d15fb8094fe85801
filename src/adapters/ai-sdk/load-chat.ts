import { readEntries } from '../../client/session/read-entries.ts'
import type { Session } from '../../client/session-contract.ts'
import { chatStateOf, type EntryPlace } from './chat-state.ts'
import { withUrls } from './message-files.ts'
import { fromStored, settle } from './stored-message.ts'
import type { ChatMessage, LoadedMessage } from './ui-message.ts'

/**
 * Loads the messages of a session for `useChat({ messages })`, oldest first, with the ids that the chat gave them.
 *
 * A reply that was stopped or cut off has `interrupted: true` and what arrived of it. Files that were stored have object
 * URLs, which last until `close` of the chat's transport. Text and reasoning of messages that came from elsewhere (OpenAI,
 * imports) are shown as parts.
 *
 * @example
 * const session = await client.session('chat-1')
 * const chat = new Chat({ messages: await loadChat(session), transport: persistTransport(inner, session) })
 *
 * @throws StorageClosed
 */
export async function loadChat<M extends ChatMessage = ChatMessage>(
  session: Session<object>,
): Promise<LoadedMessage<M>[]> {
  const state = chatStateOf(session)
  const messages: LoadedMessage<ChatMessage>[] = []
  const places = new Map<string, EntryPlace>()
  const { branch } = await session.page({ last: 1 })
  for await (const entries of readEntries(session.store, session.key, undefined, { branch })) {
    for (const entry of entries) {
      const message = fromStored(entry)
      if (message === undefined) continue
      messages.push(settle(message))
      if (entry.mid === undefined) places.set(entry.id, { branch: entry.branch, order: entry.order })
      else places.delete(entry.mid)
    }
  }
  state.line = branch
  state.places = places
  const shown = messages.map(async (message) => ({
    ...message,
    parts: await withUrls(message.parts, state.files.show),
  }))
  return (await Promise.all(shown)) as LoadedMessage<M>[]
}
