import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { foldContext } from './fold-context.ts'

/**
 * The messages of the head line's context view, as {@link SessionStore.getHistory} gives them, read in pages: in one
 * answer, 100,000 messages keep a page busy for as long as it takes to copy them.
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
