import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { estimateToolTokens } from '../../domain/context/estimate-tool-tokens.ts'
import { withoutMark } from '../../domain/context/without-mark.ts'
import { overEach } from '../../domain/steps.ts'
import { createBreather, inBreaths } from '../../pacing/breather.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'
import { checkedCounter } from './checked-counter.ts'
import type { ContextOptions, ModelContext } from './context-types.ts'
import { readNewestTurns } from './read-newest-turns.ts'
import { memoOf, memoText, systemPart } from './system-part.ts'

/**
 * Reads the context of a session for a model: the part that no compaction hides, with complete calls and results,
 * within a token limit if there is one, and the summary of the rest. A call without a result is left out, and so are
 * entries that are only for display and the mark `interrupted`. It reads at most one page more than it returns, or the
 * newest turn and one page if that turn doesn't fit. An unknown session has an empty context.
 *
 * @throws Aborted; InvalidInput for a bad `maxTokens` or an unknown branch; TypeError when `countTokens` or `memo`
 *   return nonsense
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
  const { hidden } = found
  const messages: Message[] = []
  const { text, tokens: systemTokens, summaryTokens } = systemFor(hidden)
  if (place === 'message' && text !== '') messages.push({ role: 'system', content: text })
  const takeOver = overEach(found.messages, (message) => {
    messages.push(withoutMark(message))
  })
  await inBreaths(takeOver, createBreather())
  const total = systemTokens + found.tokens + toolTokens
  return {
    messages,
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
