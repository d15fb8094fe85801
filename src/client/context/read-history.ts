import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { foldContext } from './fold-context.ts'

/**
 * The messages of the head line's context view, as {@link SessionStore.getHistory} returns them, but read in pages:
 * copying 100,000 messages in one answer would block the page.
 */
export async function readHistory(store: SessionStore, key: string): Promise<readonly Message[]> {
  const { fold } = await foldContext(store, key, {}, () => {
    const messages: Message[] = []
    return {
      messages,
      add: (page) => {
        for (const { message } of page) if (message !== undefined) messages.push(message)
      },
    }
  })
  return fold.messages
}
