import type { Message } from '../../../contract/message.ts'
import { estimateToolTokens } from '../../../domain/context/estimate-tool-tokens.ts'
import type { ContextBudget } from './context-budget.ts'
import { countOnce } from './count-once.ts'
import { estimatePicoClawTokens } from './estimate-picoclaw-tokens.ts'
import { estimatePicoClawToolTokens } from './estimate-picoclaw-tool-tokens.ts'

/** The token counts of a budget. */
export interface BudgetTokens {
  /** Tokens of the tools. */
  readonly tools: number
  /** Tokens that messages may take in addition to tools and reply. Below 0 when these alone are too much. */
  readonly room: number
  /** Tokens of messages. Each message is counted only once, because an estimate reads the whole text. */
  of(messages: readonly Message[]): number
}

/** Counts tokens for a budget with PicoClaw's estimates, or with the counter of the budget. */
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
