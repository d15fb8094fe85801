import { SessionError } from '../../contract/errors.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { estimateToolTokens } from '../../domain/context/estimate-tool-tokens.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'
import { checkedCounter } from './checked-counter.ts'
import type { ContextOptions, ModelContext } from './context-types.ts'
import { readNewestTurns } from './read-newest-turns.ts'
import { memoOf, memoText, systemPart } from './system-part.ts'

/**
 * Reads what a model gets of a session: the part that no compaction hides, calls and results complete, within a budget
 * if there is one, and what stands for the rest. A call that is still open is left out, and so is what only serves
 * display. It reads no more than it gives and a page, or the newest turn and a page where that does not fit. An unknown
 * session gives an empty context.
 *
 * @throws Aborted; InvalidInput for a bad `maxTokens` or an unknown branch; TypeError when `countTokens` or `memo` give
 *   nonsense
 */
export async function readContext(
  store: SessionStore,
  key: string,
  options: ContextOptions = {},
): Promise<ModelContext> {
  const { branch, maxTokens = Number.POSITIVE_INFINITY, tools = [], system: place = 'message', signal } = options
  if (typeof maxTokens !== 'number' || !(maxTokens >= 0))
    throw new SessionError(
      'InvalidInput',
      `maxTokens must be a number from 0 up, got ${String(maxTokens)}. Leave it out for no limit.`,
    )
  const countTokens = checkedCounter(options.countTokens)
  const toolTokens = estimateToolTokens(tools, countTokens)
  const memo = memoOf(await unlessAborted(store.getMeta(key), signal, 'Reading the context'))
  const memoPart = memoText(memo, options.memo)
  const systemFor = ({ summary }: HiddenPart) => systemPart(summary, memoPart, countTokens)

  const found = await readNewestTurns(store, key, {
    branch,
    countTokens,
    signal,
    isLimited: maxTokens < Number.POSITIVE_INFINITY,
    room: (hidden) => maxTokens - toolTokens - systemFor(hidden).tokens,
  })
  const { hidden, messages } = found
  const { text, tokens: systemTokens, summaryTokens } = systemFor(hidden)
  const total = systemTokens + found.tokens + toolTokens
  return {
    messages: place === 'message' && text !== '' ? [{ role: 'system', content: text }, ...messages] : messages,
    system: text,
    summary: hidden.summary,
    memo,
    tokens: {
      total,
      summary: summaryTokens,
      memo: systemTokens - summaryTokens,
      messages: found.tokens,
      tools: toolTokens,
    },
    turns: found.turns,
    leftOut: found.leftOut,
    fits: total <= maxTokens && !found.isPart,
    ...(hidden.compaction === undefined ? {} : { compaction: hidden.compaction }),
    branch: found.branch,
  }
}
