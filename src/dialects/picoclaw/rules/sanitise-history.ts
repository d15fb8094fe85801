import type { Message } from '../../../contract/message.ts'
import { pushAll } from '../../../domain/push-all.ts'

/**
 * Makes a history that providers accept: without system messages, and with all results of a tool call right after it,
 * each once. Incomplete and misplaced calls and results are left out, because a provider would refuse the whole
 * request. Ids are compared only within a block, because some providers use them again in later turns.
 *
 * Source: PicoClaw, `sanitizeHistoryForProvider` (its messages: `tool_calls`, results of role `tool` with a
 * `tool_call_id`)
 */
export function sanitiseHistory<M extends Message>(history: readonly M[]): readonly M[] {
  return withWholeBlocks(inPlace(history))
}

/** Leaves out calls that follow neither a user's message nor a result, and results without a call before them. */
function inPlace<M extends Message>(history: readonly M[]): readonly M[] {
  const kept: M[] = []
  /** The last message that is not a result. */
  let caller: M | undefined
  for (const message of history) {
    const { role } = message
    if (role === 'system') continue
    if (role === 'tool') {
      if (caller !== undefined && isCall(caller)) kept.push(message)
      continue
    }
    const before = kept.at(-1)?.role
    if (isCall(message) && before !== 'user' && before !== 'tool') continue
    kept.push(message)
    caller = message
  }
  return kept
}

/** Leaves out calls without all of their results, together with the results they have, and results without a call. */
function withWholeBlocks<M extends Message>(history: readonly M[]): readonly M[] {
  const kept: M[] = []
  for (let i = 0; i < history.length; ) {
    const message = history[i++]!
    if (!isCall(message)) {
      kept.push(message)
      continue
    }
    const asked = new Set(callsOf(message).map((call) => (call as { id?: unknown } | null)?.id))
    const missing = new Set(asked)
    const results: M[] = []
    for (; history[i]?.role === 'tool'; i++) {
      const result = history[i]!
      if (missing.delete(result['tool_call_id'])) results.push(result)
    }
    const hasIds = [...asked].every((id) => typeof id === 'string' && id !== '')
    if (hasIds && missing.size === 0) pushAll(kept, [message, ...results])
  }
  return kept
}

const isCall = (message: Message): boolean => message.role === 'assistant' && callsOf(message).length > 0

function callsOf(message: Message): readonly unknown[] {
  const calls = message['tool_calls']
  return Array.isArray(calls) ? calls : []
}
