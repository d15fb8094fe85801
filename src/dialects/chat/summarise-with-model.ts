import type { Summarise } from '../../client/context/context-types.ts'
import type { Message } from '../../contract/message.ts'
import { messageText } from '../../domain/title.ts'
import type { ChatModel } from './chat-types.ts'

/**
 * Makes summaries with the chat's own model. The conversation is sent as one text, so that the model does not continue
 * it.
 */
export function summariseWithModel(model: ChatModel): Summarise {
  return async ({ instruction, messages, previousSummary, signal }) => {
    const before = previousSummary === '' ? [] : [`summary of what came before: ${previousSummary}`]
    const content = [...before, ...messages.map(messageLine)].join('\n\n')
    let summary = ''
    for await (const event of model.reply({
      messages: [{ role: 'user', content }],
      system: instruction,
      tools: [],
      agentId: '',
      sessionId: '',
      signal,
    })) {
      if (event.type === 'text') summary += event.text
    }
    return summary
  }
}

function messageLine(message: Message): string {
  const text = `${message.role}: ${messageText(message.content) || messageText(message['parts'])}`
  return message['tool_calls'] === undefined ? text : `${text}\ncalls ${JSON.stringify(message['tool_calls'])}`
}
