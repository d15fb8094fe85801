import type { Message } from '../../contract/message.ts'
import type { ContextBudget } from './context-budget.ts'
import { countOnce } from './count-once.ts'
import { estimatePicoClawTokens } from './estimate-picoclaw-tokens.ts'
import { estimatePicoClawToolTokens } from './estimate-picoclaw-tool-tokens.ts'
import { estimateToolTokens } from './estimate-tool-tokens.ts'

/** How a budget counts: its tools, and messages, each once. */
export function budgetTokens({ tools = [], countTokens }: ContextBudget): { readonly tools: number; readonly of: (messages: readonly Message[]) => number } {
  const count = countOnce(countTokens ?? estimatePicoClawTokens)
  return {
    tools: countTokens === undefined ? estimatePicoClawToolTokens(tools) : estimateToolTokens(tools, countTokens),
    of: (messages) => messages.reduce((total, message) => total + count(message), 0),
  }
}
