import type { Message } from '../../../contract/message.ts'
import { budgetTokens } from './budget-tokens.ts'
import type { ContextBudget } from './context-budget.ts'

/**
 * Whether messages, tools and the longest allowed reply together exceed the context window.
 *
 * Source: PicoClaw, `isOverContextBudget`
 */
export function isOverBudget(messages: readonly Message[], budget: ContextBudget): boolean {
  const tokens = budgetTokens(budget)
  return tokens.of(messages) > tokens.room
}
