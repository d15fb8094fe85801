import { answer } from './model.js'

/** A transport of the AI SDK that asks no server: it stands for `new DefaultChatTransport({ api: '/api/chat' })`. */
export const modelTransport = {
  async sendMessages({ messages, abortSignal }) {
    const told = messages
      .at(-1)
      .parts.map(({ text = '' }) => text)
      .join('')
    return new ReadableStream({
      async start(controller) {
        controller.enqueue({ type: 'start' })
        controller.enqueue({ type: 'text-start', id: 'text' })
        for await (const delta of answer(told)) {
          if (abortSignal?.aborted) break
          controller.enqueue({ type: 'text-delta', id: 'text', delta })
        }
        controller.enqueue({ type: 'text-end', id: 'text' })
        controller.enqueue({ type: 'finish' })
        controller.close()
      },
    })
  },
  reconnectToStream: async () => null,
}
