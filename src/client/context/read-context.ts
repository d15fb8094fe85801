import { SessionError } from '../../contract/errors.ts'
import type { HiddenPart, SessionStore } from '../../contract/store.ts'
import { estimateToolTokens } from '../../domain/context/estimate-tool-tokens.ts'
import { modelMessage } from '../../domain/context/model-message.ts'
import { trimToBudget } from '../../domain/context/trim-to-budget.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { checkedCounter } from './checked-counter.ts'
import { type NewestTurns, readNewestTurns } from './read-newest-turns.ts'
import { readWholeContext } from './read-whole-context.ts'
import { memoOf, memoText, toldSystem } from './told-system.ts'
import type { ContextOptions, ModelContext } from './types.ts'

/**
 * Reads what a model gets of a session: the part that no compaction hides, calls and results complete, within a budget if there is one, and
 * what stands for the rest. A call that is still open is left out, and so is what only serves display. With `maxTokens` it reads from the
 * end, no more than it gives and a page. An unknown session gives an empty context.
 *
 * @throws Aborted; InvalidInput for a bad `maxTokens` or an unknown branch; TypeError when `countTokens` or `memo` give nonsense
 */
export async function readContext(store: SessionStore, key: string, options: ContextOptions = {}): Promise<ModelContext> {
  const { branch, maxTokens = Number.POSITIVE_INFINITY, tools = [], system: place = 'message', signal } = options
  if (typeof maxTokens !== 'number' || !(maxTokens >= 0)) throw new SessionError('InvalidInput', `maxTokens must be a number from 0 up, got ${String(maxTokens)}. Leave it out for no limit.`)
  const countTokens = checkedCounter(options.countTokens)
  const toolTokens = estimateToolTokens(tools, countTokens)
  const memo = memoOf(await unlessAborted(store.getMeta(key), signal, 'Reading the context'))
  const memoTold = memoText(memo, options.memo)
  const told = ({ summary }: HiddenPart) => toldSystem(summary, memoTold, countTokens)

  const found = maxTokens === Number.POSITIVE_INFINITY
    ? await readEverything()
    : await readNewestTurns(store, key, { branch, countTokens, signal, room: (hidden) => maxTokens - toolTokens - told(hidden).tokens })

  async function readEverything(): Promise<NewestTurns> {
    const { entries, hidden, branch: line } = await readWholeContext(store, key, { branch, isExact: false, signal })
    const messages = [...(hidden.messages ?? []), ...entries.flatMap((entry) => modelMessage(entry) ?? [])]
    return { ...trimToBudget(messages, maxTokens, countTokens), hidden, branch: line }
  }

  const { hidden, messages } = found
  const { text, tokens: systemTokens, summaryTokens } = told(hidden)
  const total = systemTokens + found.tokens + toolTokens
  return {
    messages: place === 'message' && text !== '' ? [{ role: 'system', content: text }, ...messages] : messages,
    system: text,
    summary: hidden.summary,
    memo,
    tokens: { total, summary: summaryTokens, memo: systemTokens - summaryTokens, messages: found.tokens, tools: toolTokens },
    turns: found.turns,
    leftOut: found.leftOut,
    fits: total <= maxTokens,
    ...(hidden.compaction === undefined ? {} : { compaction: hidden.compaction }),
    branch: found.branch,
  }
}
