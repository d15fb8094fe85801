import type { TokenCounter } from '../../client/context/context-types.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { systemText } from '../../domain/context/system-text.ts'
import { checkedBudget } from './checked-request.ts'
import type { ShrinkRequest } from './context-manager.ts'
import { outgoingMessages } from './outgoing-history.ts'
import { readWholeHistory } from './read-whole-history.ts'
import { budgetTokens } from './rules/budget-tokens.ts'
import { forceCompression, withCompressionNote } from './rules/force-compression.ts'
import { storeBoundary } from './store-boundary.ts'

/**
 * Drops the older half of a history without a model: when a model refused it, or when it would not fit.
 *
 * @returns whether the context is smaller now
 * @throws Aborted, InvalidInput
 * Source: PicoClaw, `forceCompression`
 */
export async function dropOldHalf(
  store: SessionStore,
  counter: { readonly countTokens?: TokenCounter },
  request: ShrinkRequest,
): Promise<boolean> {
  const { key, reason, signal } = request
  const tokens = budgetTokens({ ...checkedBudget(request), ...counter })
  const whole = await readWholeHistory(store, key, signal)
  const { context, items, messages, memo } = whole
  const { summary } = context.hidden
  const tokensBefore = tokens.of(outgoingMessages(systemText(summary, memo), messages))
  if (reason === 'proactive-budget' && tokensBefore <= tokens.room) return false
  const forced = forceCompression(messages)
  if (forced === undefined) return false
  const { kept, start, dropped } = forced
  const noted = withCompressionNote(summary, dropped)
  await storeBoundary(store, key, whole, {
    summary: noted,
    start,
    ...(start === items.length ? { kept } : {}),
    tokensBefore,
    tokensAfter: tokens.of(outgoingMessages(systemText(noted, memo), kept)),
    details: { manager: 'picoclaw', reason },
  })
  // If another compaction came first, the context is smaller too.
  return true
}
