import { readEntries } from '../../../client/session/read-entries.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { messagesOf } from './read-transcript.ts'

/** Reads the messages of the head line. Of each page, only the messages are held. @throws Aborted */
export async function readMessages(
  store: SessionStore,
  key: string,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const entries of readEntries(store, key, signal)) pushAll(messages, messagesOf(entries))
  return messages
}
