import { answer } from './model.js'

/** A connection of TanStack AI that asks no server: it stands for `fetchServerSentEvents('/api/chat')`. */
export const modelConnection = {
  async *connect(messages, _, abortSignal) {
    const { parts, content } = messages.at(-1)
    const told = typeof content === 'string' ? content : (parts ?? content).map((part) => part.content ?? '').join('')
    const run = { runId: crypto.randomUUID(), threadId: 'chat', timestamp: Date.now() }
    const message = { ...run, messageId: crypto.randomUUID() }
    yield { type: 'RUN_STARTED', ...run }
    yield { type: 'TEXT_MESSAGE_START', role: 'assistant', ...message }
    for await (const delta of answer(told)) {
      if (abortSignal?.aborted) return
      yield { type: 'TEXT_MESSAGE_CONTENT', delta, ...message }
    }
    yield { type: 'TEXT_MESSAGE_END', ...message }
    yield { type: 'RUN_FINISHED', finishReason: 'stop', ...run }
  },
}
