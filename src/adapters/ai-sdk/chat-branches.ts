import type { Session } from '../../client/session-contract.ts'
import { loadChat } from './load-chat.ts'
import type { ChatMessage, LoadedMessage } from './ui-message.ts'

/** The versions of one message: "2 of 3" is `shown: 1` of `count: 3`. */
export interface MessageVersions {
  readonly shown: number
  readonly count: number
}

/** The versions of the messages of a chat: replies that were regenerated, and messages that were edited. */
export interface ChatBranches<M extends ChatMessage> {
  /** The messages on the shown path that have other versions, by their ids. */
  versions(): Promise<ReadonlyMap<string, MessageVersions>>
  /**
   * Shows another version of a message, with what followed it.
   *
   * @param index - of the version, from 0
   * @returns the messages, for `setMessages`; `undefined` when the message has no such version (any more)
   */
  show(messageId: string, index: number): Promise<LoadedMessage<M>[] | undefined>
}

/**
 * Lists the versions of messages, and switches between them.
 *
 * @example
 * const branches = chatBranches(session)
 * const { shown, count } = (await branches.versions()).get(message.id) ?? { shown: 0, count: 1 }
 * const before = await branches.show(message.id, shown - 1)
 * if (before !== undefined) setMessages(before)
 */
export function chatBranches<M extends ChatMessage = ChatMessage>(session: Session<object>): ChatBranches<M> {
  /** The forks that the shown path includes, by the id of the message after them. */
  async function readForks() {
    const { forks } = await session.branches.tree()
    return new Map(
      forks.flatMap(({ choices, shown }) => {
        const first = choices[shown]?.first
        // A line without a message is of a reply that still arrives, or that ended with nothing.
        const versions = choices.filter((choice) => choice.first !== undefined)
        if (first === undefined || versions.length < 2) return []
        return [[first.mid ?? first.id, { choices: versions, shown: versions.indexOf(choices[shown]!) }]]
      }),
    )
  }
  return {
    versions: async () =>
      new Map([...(await readForks())].map(([id, { shown, choices }]) => [id, { shown, count: choices.length }])),
    show: async (messageId, index) => {
      const choice = (await readForks()).get(messageId)?.choices[index]
      if (choice === undefined) return undefined
      await session.branches.switchTo(choice.line)
      return loadChat<M>(session)
    },
  }
}
