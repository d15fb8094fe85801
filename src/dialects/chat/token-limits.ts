import { SessionError } from '../../contract/errors.ts'
import { defaultBudget } from '../picoclaw/rules/context-budget.ts'
import type { ChatHandlerOptions } from './chat-types.ts'

/**
 * What the model can take, and what its reply may. Unless it is said, a reply has a quarter of a smaller window, as of
 * PicoClaw's.
 *
 * @throws InvalidInput when that would leave no room for a message
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
      `A reply of ${maxTokens} tokens (maxTokens) leaves no room for a message in a window of ${contextWindow} (contextWindow). Set both.`,
    )
  return { contextWindow, maxTokens }
}
