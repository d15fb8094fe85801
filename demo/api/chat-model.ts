import type { ChatModel } from '../../src/chat.ts'
import type { Model } from '../model.ts'

/** This app's models as the chat API asks them. */
export function chatModelOf(model: Model): ChatModel {
  return {
    async *reply({ messages, system, signal }) {
      const history = system === '' ? messages : [{ role: 'system', content: system }, ...messages]
      for await (const piece of model.reply(history, signal)) {
        if ('text' in piece) yield { type: 'text', text: piece.text }
        else if ('reasoning' in piece) yield { type: 'thinking', text: piece.reasoning }
        else
          for (const { id, function: called } of piece.toolCalls)
            yield { type: 'toolCall', toolCall: { id, name: called.name, arguments: called.arguments } }
      }
    },
  }
}
