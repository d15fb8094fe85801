import { SessionError } from '../../contract/errors.ts'
import { defaultBudget } from '../picoclaw/rules/context-budget.ts'
import type { ChatHandlerOptions } from './chat-types.ts'

/**
 * The sizes of the context window and of replies. By default a reply may take PicoClaw's number of tokens, or a quarter
 * of the window if that is less.
 *
 * @throws InvalidInput when there would be no room for a message
 */
export function tokenLimits(options: Pick<ChatHandlerOptions, 'contextWindow' | 'maxTokens'>): {
  readonly contextWindow: number
  readonly maxTokens: number
} {
  const { contextWindow = defaultBudget.contextWindow } = options
  if (typeof contextWindow !== 'number' || !(contextWindow > 0))
    throw new SessionError(
      'InvalidInput',
      `contextWindow must be a number of tokens above 0, got ${String(contextWindow)}.`,
    )
  const { maxTokens = Math.min(defaultBudget.maxTokens, Math.floor(contextWindow / 4)) } = options
  if (typeof maxTokens !== 'number' || !(maxTokens >= 0))
    throw new SessionError('InvalidInput', `maxTokens must be a number of tokens from 0 up, got ${String(maxTokens)}.`)
  if (maxTokens >= contextWindow)
    throw new SessionError(
      'InvalidInput',
      `A reply of ${maxTokens} tokens (maxTokens) leaves no room for a message in a window of ${contextWindow} (contextWindow). Set both options.`,
    )
  return { contextWindow, maxTokens }
}
