import type { Message } from '../../contract/message.ts'
import { budgetTokens } from './budget-tokens.ts'
import type { ContextBudget } from './context-budget.ts'

/**
 * Whether messages, tools and the longest reply allowed are together more than the context window.
 *
 * @param tokens - what has counted for the same budget before, and need not count again
 * Source: PicoClaw, `isOverContextBudget`
 */
export function isOverBudget(messages: readonly Message[], budget: ContextBudget, tokens = budgetTokens(budget)): boolean {
  return tokens.of(messages) + tokens.tools + budget.maxTokens > budget.contextWindow
}
