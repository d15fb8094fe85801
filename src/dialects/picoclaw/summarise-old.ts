import type { Summarise, TokenCounter } from '../../client/context/context-types.ts'
import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { systemText } from '../../domain/context/system-text.ts'
import { checkedBudget } from './checked-request.ts'
import type { ShrinkRequest } from './context-manager.ts'
import { outgoingMessages } from './outgoing-history.ts'
import { readWholeHistory } from './read-whole-history.ts'
import { budgetTokens } from './rules/budget-tokens.ts'
import { isSummaryDue } from './rules/is-summary-due.ts'
import { planSummary } from './rules/plan-summary.ts'
import { storeBoundary } from './store-boundary.ts'
import { summariseParts } from './summarise-parts.ts'

const oversizeNote = '\n[Note: Some oversized messages were omitted from this summary for efficiency.]'

/** The parts that are needed to make a summary. */
export interface SummaryMeans {
  readonly counter: { readonly countTokens?: TokenCounter }
  readonly summarise: Summarise | undefined
  readonly wait: (ms: number) => Promise<void>
  /** When it fires, the model is not asked any more. */
  readonly ending: AbortSignal
  /** Whether the conversation was cleared in the meantime. */
  readonly isCleared: () => boolean
}

/**
 * Summarises all but the last turns of a history, if necessary.
 *
 * @returns whether a summary was stored
 * @throws Aborted when the request's signal fired; InvalidInput
 * Source: PicoClaw, `maybeSummarize`, `summarizeSession`
 */
export async function summariseOld(
  store: SessionStore,
  key: string,
  request: ShrinkRequest,
  { counter, summarise, wait, ending, isCleared }: SummaryMeans,
): Promise<boolean> {
  const { signal, contextWindow } = request
  const budget = { ...checkedBudget(request), ...counter }
  const whole = await readWholeHistory(store, key, signal)
  const { context, messages, memo } = whole
  const plan = isSummaryDue(messages, budget) ? planSummary(messages, contextWindow) : undefined
  if (plan === undefined) return false
  const { summary: previousSummary } = context.hidden
  // A quarter of the window, with two and a half characters per token.
  const maxLength = Math.floor((contextWindow * 5) / 8)
  const made = await summariseParts(plan.parts, { summarise, previousSummary, signal: ending, maxLength, wait })
  if (signal?.aborted === true)
    throw new SessionError('Aborted', 'The summary was ended by its signal. Nothing was changed.', {
      cause: signal.reason,
    })
  if (isCleared()) return false
  const summary = plan.isPartial ? made.summary + oversizeNote : made.summary
  const tokens = budgetTokens(budget)
  return storeBoundary(store, key, whole, {
    summary,
    start: plan.cut,
    tokensBefore: tokens.of(outgoingMessages(systemText(previousSummary, memo), messages)),
    tokensAfter: tokens.of(outgoingMessages(systemText(summary, memo), messages.slice(plan.cut))),
    details: { manager: 'picoclaw', reason: 'summarise', ...(made.modelFailed ? { modelFailed: true } : {}) },
  })
}
