import type { Message } from '../../contract/message.ts'
import { pairToolCalls } from '../../domain/context/pair-tool-calls.ts'
import { sanitiseHistory } from '../../domain/context/sanitise-history.ts'

/** A history as it goes out: by PicoClaw's rules, and with calls and results paired in the dialects it does not know. */
export function outgoingHistory(history: readonly Message[]): readonly Message[] {
  return pairToolCalls(sanitiseHistory(history))
}
