import type { Message } from '../../../contract/message.ts'
import { messageText } from '../../../domain/title.ts'
import { shorten } from './shorten.ts'

/**
 * In a summary without a model, a message is shortened to this many code points, or to this part of its length if that
 * is more.
 */
const leastCodePoints = 200
const part = 0.1

/**
 * Makes a summary without a model: role and beginning of each message.
 *
 * @param previousSummary - the summary of the part before, which comes first. PicoClaw loses it
 * @param maxLength - in UTF-16 code units; if both summaries are longer, their beginning is replaced by `...`.
 *   PicoClaw's grow without limit. Source: PicoClaw, `summarizeBatch` where the model fails
 */
export function fallbackSummary(messages: readonly Message[], previousSummary = '', maxLength = Infinity): string {
  const said = messages.map(({ role, content }) => {
    const text = messageText(content)
    return `${role}: ${shorten(text, Math.max(leastCodePoints, Math.floor([...text].length * part)))}`
  })
  const added = `Conversation summary: ${said.join(' | ')}`
  const summary = previousSummary === '' ? added : `${previousSummary}\n\n${added}`
  return summary.length <= maxLength ? summary : `...${endOf(summary, Math.floor(maxLength))}`
}

/** The last code units of a text, without half a surrogate pair at its start. */
function endOf(text: string, length: number): string {
  const from = text.length - length
  const isHalf = from > 0 && text.codePointAt(from - 1)! > 0xffff
  return text.slice(isHalf ? from + 1 : from)
}
