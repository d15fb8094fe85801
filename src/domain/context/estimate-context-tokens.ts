import type { Message } from '../../contract/message.ts'
import { estimateTokens } from '../tokens.ts'

/** Source: PicoClaw, `tokenizer.EstimateMessageTokens` */
const mediaTokens = 256
const imageTypes: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image'])
const dataUri = /^data:[^,]{0,200};base64,/i

type Fields = Readonly<Record<string, unknown>>

/**
 * Estimates the tokens that one message takes of a model's context: like {@link estimateTokens}, but 256 for each image
 * and each base64 file, however large it is. Models price a picture by what it shows, and its base64 text says nothing
 * about that: counted as text, one photo would take the space of a whole conversation.
 *
 * Media are: a part `image_url`, `image` or `input_image`; a data URI anywhere else, except of plain text; base64 next
 * to its media type; each element of PicoClaw's `media`.
 *
 * Source: ai-panel (texts), PicoClaw (media)
 */
export function estimateContextTokens(message: Message): number {
  const { content, media, ...fields } = message as Fields
  const text = content === undefined ? fields['parts'] : content
  const listedTokens = Array.isArray(media) ? mediaTokens * media.length : 0
  if (typeof text !== 'object' || text === null) return estimateTokens(message) + listedTokens
  const { rest, count } = withoutMedia(text)
  return estimateTokens({ content: rest }) + mediaTokens * count + listedTokens
}

function withoutMedia(value: unknown): { readonly rest: unknown; readonly count: number } {
  if (isMedium(value)) return { rest: undefined, count: 1 }
  if (typeof value !== 'object' || value === null) return { rest: value, count: 0 }
  let count = 0
  const stripped = (part: unknown): unknown => {
    const found = withoutMedia(part)
    count += found.count
    return found.rest
  }
  if (Array.isArray(value)) return { rest: value.map(stripped).filter((part) => part !== undefined), count }
  const rest = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isData(name, field, value as Fields) ? (count++, undefined) : stripped(field),
    ]),
  )
  return { rest, count }
}

function isMedium(value: unknown): boolean {
  return typeof value === 'object' && value !== null && imageTypes.has((value as Fields)['type'])
}

function isData(name: string, value: unknown, { type, mediaType, mimeType, media_type, format }: Fields): boolean {
  if (typeof value !== 'string' || name === 'text' || type === 'text') return false
  return (
    dataUri.test(value) ||
    (name === 'data' && [mediaType, mimeType, media_type, format].some((kind) => typeof kind === 'string'))
  )
}
