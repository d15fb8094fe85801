import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import { messagePieces } from '../message-pieces.ts'
import { messageSteps } from '../message-steps.ts'

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', model: 'assistant', bot: 'assistant' }
const known = ['system', 'developer', 'user', 'assistant']

/**
 * Converts a message for OpenAI's chat API: results of tools become separate messages, images become links or data
 * URIs. Reasoning is left out, and so are files and references without a meaning elsewhere. Roles that the API doesn't
 * have become `user`, as in pi.
 */
export function openAiMessages(message: Message): readonly JsonObject[] {
  return messageSteps(message).flatMap(stepMessages)
}

function stepMessages(message: Message): readonly JsonObject[] {
  const pieces = messagePieces(message)
  const named = roles[message.role] ?? message.role
  const role = known.includes(named) ? named : 'user'
  const results = pieces.flatMap((piece): JsonObject[] =>
    piece.kind === 'result' ? [{ role: 'tool', tool_call_id: piece.callId, content: piece.text }] : [],
  )
  const texts = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
  const calls =
    role !== 'assistant'
      ? []
      : pieces.flatMap((piece): JsonObject[] =>
          piece.kind === 'call'
            ? [{ id: piece.id, type: 'function', function: { name: piece.name, arguments: piece.arguments } }]
            : [],
        )
  const parts = pieces.flatMap((piece): JsonObject[] => {
    if (piece.kind === 'text') return [{ type: 'text', text: piece.text }]
    return piece.kind === 'image' && piece.url !== '' ? [{ type: 'image_url', image_url: { url: piece.url } }] : []
  })
  const hasImages = role === 'user' && parts.length > texts.length
  if (texts.length === 0 && calls.length === 0 && !hasImages) return results
  const { name } = message
  const said: JsonObject = {
    role,
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    content: hasImages ? parts : texts.length === 0 ? null : texts.join('\n'),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return [...results, said]
}
