/**
 * The maximum number of code points of an automatic title, without the ellipsis. Source: ai-panel, design document (its
 * code takes 60).
 */
const titleLength = 30

/**
 * Makes a title from a text: its first 30 code points, each run of white space reduced to one space, trimmed, with `…`
 * when something was cut. It never splits a surrogate pair. `''` for a text without visible characters. Reads no
 * further than necessary.
 *
 * Source: ai-panel (30 characters from its document, the ellipsis from its code)
 */
export function titleFromText(text: string): string {
  let title = ''
  let length = 0
  let gap = false
  for (const character of text) {
    if (/\s/.test(character)) {
      gap = length > 0
      continue
    }
    if (length + (gap ? 1 : 0) >= titleLength) return `${title}…`
    title += gap ? ` ${character}` : character
    length += gap ? 2 : 1
    gap = false
  }
  return title
}

/**
 * The text of a message's content: the string itself, or the `text` of its parts of type `text` (in TanStack AI their
 * `content`; and parts that are strings), one a line. `''` for anything else. Reasoning, tool calls and attachments are not text.
 */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts: string[] = []
  for (const part of content as readonly unknown[]) {
    const text = typeof part === 'string' ? part : textOf(part)
    if (text !== '') texts.push(text)
  }
  return texts.join('\n')
}

function textOf(part: unknown): string {
  const { type, content, text = content } = (part ?? {}) as Readonly<Record<string, unknown>>
  return type === 'text' && typeof text === 'string' ? text : ''
}

/**
 * The title that a message gives its session; `''` when the message has no text. A UI message without text in `content`
 * contributes its `parts`.
 */
export function automaticTitle(message: { readonly content?: unknown; readonly parts?: unknown }): string {
  return titleFromText(messageText(message.content)) || titleFromText(messageText(message.parts))
}
