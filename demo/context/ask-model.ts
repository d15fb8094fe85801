import type { Message } from '../../src/index.ts'
import type { Model } from '../model.ts'

/** What a model answers in words, all of it. */
export async function askModel(model: Model, messages: readonly Message[], signal: AbortSignal): Promise<string> {
  let answer = ''
  for await (const piece of model.reply(messages, signal)) if ('text' in piece) answer += piece.text
  return answer
}
