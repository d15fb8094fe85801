import type { JsonObject } from '../../contract/json.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import { systemText } from '../../domain/context/system-text.ts'
import type { ContextOptions, TokenCounter } from './context-types.ts'

/** What a model is told beside the messages. */
export interface SystemPart {
  /** `''` when there is nothing to tell. */
  readonly text: string
  readonly tokens: number
  /** Tokens of it that the summary takes; the rest is the memo's. */
  readonly summaryTokens: number
}

/** The memo of a session; a deleted one has none. */
export function memoOf(meta: SessionMeta | undefined): JsonObject {
  return meta === undefined || meta.deletedAt !== undefined ? {} : meta.memo
}

/**
 * What a memo says to a model; `last_resize`, which a memo session notes in it, is no fact of the conversation.
 *
 * @throws TypeError when a function for the memo gives anything but a text
 */
export function memoText({ last_resize: _, ...memo }: JsonObject, format: ContextOptions['memo'] = true): string {
  if (format === false || Object.keys(memo).length === 0) return ''
  const text: unknown = format === true ? JSON.stringify(memo) : format(memo)
  if (typeof text !== 'string') throw new TypeError(`memo must be told as a text, got ${typeof text}.`)
  return text
}

/** Puts together what a model is told, and what that costs. */
export function systemPart(summary: string, memo: string, countTokens: TokenCounter): SystemPart {
  const text = systemText(summary, memo)
  const cost = (content: string): number => (content === '' ? 0 : countTokens({ role: 'system', content }))
  const tokens = cost(text)
  return { text, tokens, summaryTokens: Math.min(tokens, cost(systemText(summary, ''))) }
}
