import type { Message } from '../../../contract/message.ts'
import { turnStarts } from '../../../domain/context/turn-starts.ts'
import { budgetTokens } from './budget-tokens.ts'
import type { ContextBudget } from './context-budget.ts'

/** A request whose history was trimmed. */
export interface TrimmedRequest<M> {
  /** Its newest whole turns; empty when not even the last one fits. */
  readonly history: readonly M[]
  /** The request with this history. */
  readonly messages: readonly Message[]
  /** False when the request does not fit even without a history. */
  readonly fits: boolean
}

/**
 * Drops the oldest whole turns until a request is within the budget. Messages before the first turn count as a turn.
 *
 * @param assemble - makes the request from a history: system text before it, the new message after it. A shorter
 *   history must not cost more. Default: the history alone. Source: PicoClaw, `trimHistoryToFitContextWindow`
 */
export function trimHistoryToFitContextWindow<M extends Message>(
  history: readonly M[],
  budget: ContextBudget,
  assemble: (history: readonly M[]) => readonly Message[] = (kept) => kept,
): TrimmedRequest<M> {
  const tokens = budgetTokens(budget)
  const from = (start: number): TrimmedRequest<M> => {
    const kept = start === 0 ? history : history.slice(start)
    const messages = assemble(kept)
    return { history: kept, messages, fits: tokens.of(messages) <= tokens.room }
  }
  const all = from(0)
  if (all.fits || history.length === 0) return all
  const starts = [...turnStarts(history).filter((start) => start > 0), history.length]
  // A shorter history never costs more, so that the first one that fits is found by bisection.
  let low = 0
  for (let high = starts.length - 1; low < high; ) {
    const middle = (low + high) >> 1
    if (from(starts[middle]!).fits) high = middle
    else low = middle + 1
  }
  return from(starts[low]!)
}
