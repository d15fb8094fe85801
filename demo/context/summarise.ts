import type { Message, Summarise } from '../../src/index.ts'
import { messageText } from '../chat/message-parts.ts'
import { localModel } from '../local-model.ts'
import type { Model } from '../model.ts'
import { shortened } from '../ui/format.ts'
import { askModel } from './ask-model.ts'

/** How much of one message a model is shown for a summary. */
const mostChars = 4_000

/** Summarises with the model that answers. The local script can't, so for it the questions are listed. */
export function summariseWith(model: Model): Summarise {
  return async ({ instruction, messages, previousSummary, signal }) => {
    if (model === localModel) return listed(messages, previousSummary)
    const before = previousSummary === '' ? '' : `What was summarised before:\n${previousSummary}\n\n`
    return askModel(
      model,
      [
        { role: 'system', content: instruction },
        { role: 'user', content: before + messages.map(line).join('\n') },
      ],
      signal,
    )
  }
}

const line = (message: Message): string => `${message.role}: ${shortened(messageText(message), mostChars)}`

function listed(messages: readonly Message[], previousSummary: string): string {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .map((message) => `- ${shortened(messageText(message).trim(), 120)}`)
  return [...(previousSummary === '' ? ['You asked:'] : [previousSummary]), ...asked].join('\n')
}
