import type { JsonObject } from '../../contract/json.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import { systemText } from '../../domain/context/system-text.ts'
import type { ContextOptions, TokenCounter } from './context-types.ts'

/** The part of a context that is not in the messages: summary and memo. */
export interface SystemPart {
  /** `''` if there is neither. */
  readonly text: string
  readonly tokens: number
  /** Tokens of the summary; the rest are those of the memo. */
  readonly summaryTokens: number
}

/** The memo of a session; a deleted one has none. */
export function memoOf(meta: SessionMeta | undefined): JsonObject {
  return meta === undefined || meta.deletedAt !== undefined ? {} : meta.memo
}

/**
 * The text of a memo for a model, without `last_resize`, which a memo session stores in it and which is no fact of the
 * conversation.
 *
 * @throws TypeError when `format` returns anything but a string
 */
export function memoText({ last_resize: _, ...memo }: JsonObject, format: ContextOptions['memo'] = true): string {
  if (format === false || Object.keys(memo).length === 0) return ''
  const text: unknown = format === true ? JSON.stringify(memo) : format(memo)
  if (typeof text !== 'string') throw new TypeError(`The memo function must return a string, got ${typeof text}.`)
  return text
}

/** Creates the system text and counts its tokens. */
export function systemPart(summary: string, memo: string, countTokens: TokenCounter): SystemPart {
  const text = systemText(summary, memo)
  const cost = (content: string): number => (content === '' ? 0 : countTokens({ role: 'system', content }))
  const tokens = cost(text)
  return { text, tokens, summaryTokens: Math.min(tokens, cost(systemText(summary, ''))) }
}
