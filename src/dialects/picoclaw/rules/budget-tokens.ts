import type { Message } from '../../../contract/message.ts'
import { estimateToolTokens } from '../../../domain/context/estimate-tool-tokens.ts'
import type { ContextBudget } from './context-budget.ts'
import { countOnce } from './count-once.ts'
import { estimatePicoClawTokens } from './estimate-picoclaw-tokens.ts'
import { estimatePicoClawToolTokens } from './estimate-picoclaw-tool-tokens.ts'

/** How a budget counts. */
export interface BudgetTokens {
  /** Of tools. */
  readonly tools: number
  /** What messages may take beside tools and reply. Below 0 where these alone are too much. */
  readonly room: number
  /** Of messages; each is counted once, however often it is asked for. */
  of(messages: readonly Message[]): number
}

/** Counts for a budget: by PicoClaw's estimates, or all by the counter that it names. */
export function budgetTokens({ contextWindow, maxTokens, tools = [], countTokens }: ContextBudget): BudgetTokens {
  const count = countOnce(countTokens ?? estimatePicoClawTokens)
  const toolTokens =
    countTokens === undefined ? estimatePicoClawToolTokens(tools) : estimateToolTokens(tools, countTokens)
  return {
    tools: toolTokens,
    room: contextWindow - maxTokens - toolTokens,
    of: (messages) => messages.reduce((total, message) => total + count(message), 0),
  }
}
