import type { Message } from '../../../contract/message.ts'
import { messageText } from '../../../domain/title.ts'
import { shorten } from './shorten.ts'

/**
 * Code points that a message has at least in a summary without a model, and the part of it that it has when that is
 * more.
 */
const leastCodePoints = 200
const part = 0.1

/**
 * A summary that no model made: who said what, the beginning of each message.
 *
 * @param previousSummary - what stood for the part before; stands in front. PicoClaw loses it
 * @param maxLength - in UTF-16 code units; where both are longer, their beginning is cut off, and `...` stands for it.
 *   PicoClaw's grow without end Source: PicoClaw, `summarizeBatch` where the model fails
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

/** The last code units of a text, without half a character in front. */
function endOf(text: string, length: number): string {
  const from = text.length - length
  const isHalf = from > 0 && text.codePointAt(from - 1)! > 0xffff
  return text.slice(isHalf ? from + 1 : from)
}
