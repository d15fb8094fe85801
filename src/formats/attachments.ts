import type { ConversationNode } from './conversation/conversation.ts'
import { isObject } from './is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** A file of a message, as another app names it. Any field may be missing, or be something else. */
export interface FoundFile {
  /** Default: `image` for a picture, otherwise `file`. */
  readonly type?: unknown
  readonly name?: unknown
  readonly id?: unknown
  /** Media type. */
  readonly mimeType?: unknown
  /** An address, or a path in the other app. */
  readonly url?: unknown
}

/**
 * A node's message with its files as attachments: by name, id and address. Their bytes are in an export only if the
 * address is a data URI. Paths of the other app lead nowhere, and may name the user's account, so that only the name at
 * their end is kept. What has none of these is left out and reported, and there is no message when it says nothing
 * else.
 *
 * @param files - what stands in the message and is no text
 */
export function withFiles(
  message: Fields,
  saysSomething: boolean,
  files: readonly FoundFile[],
): Pick<ConversationNode, 'data' | 'leftOut'> {
  const attachments = files.map(attachmentOf).filter((one) => one !== undefined)
  const lost = files.length - attachments.length
  const fields = attachments.length === 0 ? {} : { attachments }
  return {
    ...(saysSomething || attachments.length > 0 ? { data: { message: { ...message, ...fields } } } : {}),
    ...(lost === 0
      ? {}
      : { leftOut: `${lost === 1 ? 'a part' : `${lost} parts`} of it could not be read as a text or as a file` }),
  }
}

function attachmentOf({ type, name, id, mimeType, url }: FoundFile): Fields | undefined {
  const address = textOf(url)
  const isOpen = address !== undefined && /^(https?|data):/i.test(address)
  const media = textOf(mimeType) ?? (isOpen ? /^data:([^;,]+)/i.exec(address)?.[1] : undefined)
  const named = textOf(name) ?? (isOpen ? undefined : textOf(address?.split(/[\\/]/).at(-1)))
  const known = { name: named, id: textOf(id), url: isOpen ? address : undefined }
  if (Object.values(known).every((one) => one === undefined)) return undefined
  return { type: textOf(type) ?? (media?.startsWith('image/') === true ? 'image' : 'file'), ...known, mimeType: media }
}

/** A picture in OpenAI's form, `{ image_url: { url } }` or `{ image_url }`. */
export function pictureOf(link: unknown): FoundFile {
  return { type: 'image', url: isObject(link) ? link['url'] : link }
}

const textOf = (found: unknown): string | undefined =>
  typeof found === 'string' && found.trim() !== '' ? found : undefined
