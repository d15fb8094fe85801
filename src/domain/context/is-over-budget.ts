import type { Message } from '../../contract/message.ts'
import type { ContextBudget } from './context-budget.ts'
import { estimatePicoClawTokens } from './estimate-picoclaw-tokens.ts'
import { estimateToolTokens } from './estimate-tool-tokens.ts'

/**
 * Whether messages, tools and the longest reply allowed are together more than the context window.
 *
 * Source: PicoClaw, `isOverContextBudget`
 */
export function isOverBudget(messages: readonly Message[], { contextWindow, maxTokens, tools = [], countTokens = estimatePicoClawTokens }: ContextBudget): boolean {
  return messages.reduce((total, message) => total + countTokens(message), estimateToolTokens(tools) + maxTokens) > contextWindow
}
