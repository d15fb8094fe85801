import type { Session } from '../../client/session-contract.ts'
import type { EntryInput } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import {
  type LangChainMessage,
  messageOf,
  type StoredLangChainMessage,
  storedForm,
  storedFormOf,
} from './langchain-message.ts'

/** What the history needs of `@langchain/core`. */
export interface HistoryModules<History extends object, Message extends LangChainMessage> {
  /** Of `@langchain/core/chat_history`. */
  readonly BaseListChatMessageHistory: abstract new () => History
  /** Of `@langchain/core/messages`. */
  mapStoredMessagesToChatMessages(messages: readonly { readonly type: string; readonly data: object }[]): Message[]
}

/**
 * A session as the chat history of LangChain. Its messages are chat messages for everybody else: list, transcript,
 * search, export and sync have them. A message with an id is stored once: added again, it replaces the one that is
 * there.
 *
 * @example
 * const chain = new RunnableWithMessageHistory({
 *   runnable,
 *   getMessageHistory: async (key) =>
 *     createChatMessageHistory(await client.session(key), { BaseListChatMessageHistory, mapStoredMessagesToChatMessages }),
 *   config: {},
 * })
 *
 * @throws (its methods) SessionError, for example InvalidInput for a message that LangChain could not load again
 */
export function createChatMessageHistory<History extends object, Message extends LangChainMessage>(
  session: Session,
  { BaseListChatMessageHistory, mapStoredMessagesToChatMessages: load }: HistoryModules<History, Message>,
): History {
  const Base: abstract new () => object = BaseListChatMessageHistory

  class KeepsessionHistory extends Base {
    readonly lc_namespace = ['keepsession']

    async getMessages(): Promise<Message[]> {
      return load((await session.messages()).map(storedFormOf))
    }

    addMessage(message: Message): Promise<void> {
      return this.addMessages([message])
    }

    /**
     * Adds messages in their order. Those without an id that follow each other are stored together. If it rejects, the
     * ones before may have been stored.
     */
    async addMessages(messages: readonly Message[]): Promise<void> {
      const entries = messages.map((message) => ({ message: messageOf(loadable(message)), mid: message.id }))
      let together: EntryInput[] = []
      for (const { message, mid } of entries) {
        if (mid === undefined) {
          together.push({ type: 'message', message })
          continue
        }
        if (together.length > 0) await session.appendAll(together)
        together = []
        await session.entries.put(message, { mid })
      }
      if (together.length > 0) await session.appendAll(together)
    }

    /** Removes all messages of the branch that is shown. Title, tags and other branches stay. */
    clear(): Promise<void> {
      return session.entries.clear()
    }
  }

  /** Refuses before anything is written what could not be loaded, and would make the whole history unreadable. */
  function loadable(message: Message): StoredLangChainMessage {
    const stored = storedForm(message)
    try {
      load([stored])
      return stored
    } catch (cause) {
      throw new SessionError(
        'InvalidInput',
        `LangChain can't load messages of the type "${stored.type}" with these fields: ${String(cause)} Nothing was written.`,
        { cause },
      )
    }
  }

  return new KeepsessionHistory() as object as History
}
