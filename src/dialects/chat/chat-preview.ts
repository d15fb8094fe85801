import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { messageText } from '../../domain/title.ts'

/** The maximum number of code points of a preview, without the ellipsis. */
const previewLength = 60

/**
 * The preview of a session in a list: the beginning of its first user message, or a placeholder if that has no text;
 * `(empty)` when there is no such message. Reads no further than that message. Source: PicoClaw, its launcher's
 * `preview`, with ai-panel's ellipsis
 */
export async function readPreview(store: SessionStore, key: string): Promise<string> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { entries, more } = await store.read(key, { after, limit: after === '' ? 4 : 256 })
    const first = entries.find(({ message }) => message?.role === 'user')?.message
    if (first !== undefined) return previewOf(first)
    after = more ? entries.at(-1)?.order : undefined
  }
  return '(empty)'
}

function previewOf(message: Message): string {
  const text = (messageText(message.content) || messageText(message['parts'])).trim()
  // An emoji takes two UTF-16 units. The rest of the text is not read.
  const points = [...text.slice(0, 2 * previewLength + 2)]
  if (points.length > previewLength) return `${points.slice(0, previewLength).join('').trimEnd()}…`
  if (text !== '') return text
  const attached = [message.content, message['parts'], message['media'], message['attachments']].flatMap((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : [],
  )
  if (attached.length === 0) return '(empty)'
  return attached.some(isImage) ? '[image]' : '[attachment]'
}

/** Whether a part is an image, in any dialect, or the name of one. */
function isImage(part: unknown): boolean {
  if (typeof part === 'string') return part.startsWith('data:image/') || /\.(?:png|jpe?g|gif|webp)$/i.test(part)
  const { type, mediaType, mimeType, content_type: contentType } = (part ?? {}) as Readonly<Record<string, unknown>>
  if (['image', 'image_url', 'input_image'].includes(type as string)) return true
  return [mediaType, mimeType, contentType].some((mime) => typeof mime === 'string' && mime.startsWith('image/'))
}
