import { jsonStringBytes, utf8Length } from './utf8.ts'

/**
 * Estimates the tokens of one message: a quarter of the UTF-8 bytes of its content's JSON text, rounded down. Quotes,
 * escapes and the structure of parts count; role, tool calls next to the content and other fields do not. An English
 * word costs about as much as it does with a real tokeniser, a Chinese character 0.75. A session's estimate is the sum
 * over its messages.
 *
 * @param message - a UI message without `content` is measured by its `parts`; without either it costs 0. Source:
 *   ai-panel, `EstimateTokens` (`len(content) / 4`, where Go's `len` counts bytes of the raw JSON value; the document's
 *   “0.5 for Chinese” is not what the formula gives, and the formula holds)
 */
export function estimateTokens(message: { readonly content?: unknown; readonly parts?: unknown }): number {
  const content = message.content === undefined ? message.parts : message.content
  if (content === undefined) return 0
  const bytes = typeof content === 'string' ? jsonStringBytes(content) : utf8Length(JSON.stringify(content))
  return Math.floor(bytes / 4)
}
