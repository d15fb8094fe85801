import type { ModelContext, TokenCounter } from '../../client/context/context-types.ts'
import { memoOf, memoText } from '../../client/context/system-part.ts'
import { unlessAborted } from '../../client/upkeep/unless-aborted.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { systemText } from '../../domain/context/system-text.ts'
import { turnStarts } from '../../domain/context/turn-starts.ts'
import { checkedBudget } from './checked-request.ts'
import type { AssembleRequest } from './context-manager.ts'
import { outgoingMessages } from './outgoing-history.ts'
import { readNewestHistory } from './read-newest-history.ts'
import { budgetTokens } from './rules/budget-tokens.ts'
import { trimHistoryToFitContextWindow } from './rules/trim-history.ts'

/**
 * Makes the context for a model: summary and memo, then as many of the newest whole turns as fit into the window with
 * tools and reply.
 *
 * @throws Aborted, InvalidInput
 */
export async function assembleHistory(
  store: SessionStore,
  counter: { readonly countTokens?: TokenCounter },
  request: AssembleRequest,
): Promise<ModelContext> {
  const { key, signal } = request
  const budget = { ...checkedBudget(request), ...counter }
  const tokens = budgetTokens(budget)
  const [{ items, hidden, branch, before }, meta] = await Promise.all([
    readNewestHistory(store, key, tokens, signal),
    unlessAborted(store.getMeta(key), signal, 'Reading the context'),
  ])
  const { summary, compaction } = hidden
  const memo = memoOf(meta)
  const system = systemText(summary, memoText(memo))
  const history = items.map(({ message }) => message)
  const {
    history: kept,
    messages,
    fits,
  } = trimHistoryToFitContextWindow(history, budget, (turns) => outgoingMessages(system, turns))
  const systemTokens = tokens.of(outgoingMessages(system, []))
  const summaryTokens = Math.min(systemTokens, tokens.of(outgoingMessages(systemText(summary, ''), [])))
  const messageTokens = tokens.of(messages) - systemTokens
  return {
    messages,
    system,
    summary,
    memo,
    tokens: {
      total: systemTokens + messageTokens + tokens.tools,
      summary: summaryTokens,
      memo: systemTokens - summaryTokens,
      messages: messageTokens,
      tools: tokens.tools,
    },
    turns: turnStarts(kept).length,
    leftOut: before + history.length - kept.length,
    fits,
    ...(compaction === undefined ? {} : { compaction }),
    branch,
  }
}
