import type { ToolDefinition } from '../../client/context/context-types.ts'
import { SessionError } from '../../contract/errors.ts'
import type { AssembleRequest, ShrinkReason, ShrinkRequest } from './context-manager.ts'

/** The budget of a request. */
export interface RequestBudget {
  readonly contextWindow: number
  readonly maxTokens: number
  readonly tools: readonly ToolDefinition[]
}

/**
 * @throws InvalidInput for a value that is not a number of tokens: nothing would fit then, and a model would get an
 * empty context
 */
export function checkedBudget({
  contextWindow,
  maxTokens,
  tools = [],
}: Pick<AssembleRequest, 'contextWindow' | 'maxTokens' | 'tools'>): RequestBudget {
  for (const [name, value] of Object.entries({ contextWindow, maxTokens })) {
    if (typeof value !== 'number' || !(value >= 0))
      throw new SessionError('InvalidInput', `${name} must be a number of tokens from 0 up, got ${String(value)}.`)
  }
  return { contextWindow, maxTokens, tools }
}

const reasons: readonly ShrinkReason[] = ['summarise', 'proactive-budget', 'model-refused']

/** @throws InvalidInput for an unknown reason, which would otherwise be handled like an emergency */
export function checkedReason({ reason }: Pick<ShrinkRequest, 'reason'>): ShrinkReason {
  if (!reasons.includes(reason))
    throw new SessionError('InvalidInput', `reason must be one of ${reasons.join(', ')}, got ${String(reason)}.`)
  return reason
}
