import type { Message } from '../../contract/message.ts'
import { pairToolCalls } from '../../domain/context/pair-tool-calls.ts'
import { resultIds } from '../../domain/tool-calls.ts'
import { sanitiseHistory } from './rules/sanitise-history.ts'

/**
 * Prepares a history for a model: by PicoClaw's rules, and with calls and results paired in dialects that PicoClaw does
 * not know.
 */
export function outgoingHistory(history: readonly Message[]): readonly Message[] {
  const originals = new Map<Message, Message>()
  const known = history.map((message) => {
    if (!hasResultParts(message)) return message
    // PicoClaw's rules would miss the call, which is a part of another message (AI SDK), and leave it out.
    const standIn: Message = { role: 'toolResult' }
    originals.set(standIn, message)
    return standIn
  })
  return pairToolCalls(sanitiseHistory(known).map((message) => originals.get(message) ?? message))
}

/** The messages to send: the system text, then the history. */
export function outgoingMessages(system: string, history: readonly Message[]): readonly Message[] {
  const out = outgoingHistory(history)
  return system === '' ? out : [{ role: 'system', content: system }, ...out]
}

const hasResultParts = (message: Message): boolean =>
  message.role === 'tool' && message['tool_call_id'] === undefined && resultIds(message).length > 0
