import type { Message } from '../../../contract/message.ts'
import { type ContextBudget, defaultBudget } from './context-budget.ts'
import { estimatePicoClawTokens } from './estimate-picoclaw-tokens.ts'

const mostMessages = 20
const mostPercent = 75

/**
 * Whether a history must be summarised, because it has more than 20 messages or takes more than three quarters of the
 * context window.
 *
 * Source: PicoClaw, `maybeSummarize` with its default settings
 */
export function isSummaryDue(
  history: readonly Message[],
  { contextWindow = defaultBudget.contextWindow, countTokens = estimatePicoClawTokens }: Partial<ContextBudget> = {},
): boolean {
  if (history.length > mostMessages) return true
  return history.reduce((total, message) => total + countTokens(message), 0) > (contextWindow * mostPercent) / 100
}
