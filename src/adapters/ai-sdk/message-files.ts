import type { FileUrls } from '../file-urls.ts'
import type { ChatMessage, LoadedMessage } from './ui-message.ts'

/** The same parts, each file with another URL. */
export async function withUrls<Parts extends readonly unknown[]>(
  parts: Parts,
  change: (url: string, mediaType: string) => Promise<string>,
): Promise<Parts> {
  const changed = await Promise.all(
    parts.map(async (part) => {
      if (!isFile(part)) return part
      return { ...part, url: await change(part.url, part.mediaType) }
    }),
  )
  return changed as unknown as Parts
}

function isFile(part: unknown): part is { readonly url: string; readonly mediaType: string } {
  const { type, url } = part as { readonly type?: unknown; readonly url?: unknown }
  return (type === 'file' || type === 'reasoning-file') && typeof url === 'string'
}

/** Messages as a model gets them: with their files as data URLs, and without the mark of {@link LoadedMessage}. */
export const forModel = (messages: readonly ChatMessage[], files: FileUrls): Promise<ChatMessage[]> =>
  Promise.all(
    messages.map(async ({ interrupted: _, ...message }: LoadedMessage<ChatMessage>) => ({
      ...message,
      parts: await withUrls(message.parts, files.send),
    })),
  )
