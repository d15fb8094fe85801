import { AbstractChat, type ChatInit, type UIMessage } from 'ai'

/** A chat of the AI SDK without a framework for user interfaces. */
export class MemoryChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    const state = {
      status: 'ready' as const,
      error: undefined,
      messages,
      pushMessage: (message: UIMessage) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index: number, message: UIMessage) =>
        void (state.messages = state.messages.with(index, { ...message })),
      snapshot: structuredClone,
    }
    super({ ...init, state })
  }
}
