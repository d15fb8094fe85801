import type { FileUrls } from '../file-urls.ts'

type Fields = Readonly<Record<string, unknown>>

/** The same message with other URLs of its files: those of its parts, and of the parts of its attachments. */
export async function withFileUrls<M>(message: M, change: (url: string) => Promise<string>): Promise<M> {
  const { content, parts, attachments } = message as Fields
  const changeParts = async (list: readonly unknown[]): Promise<readonly unknown[]> =>
    Promise.all(
      list.map(async (part) => {
        const field = urlField(part)
        if (field === undefined) return part
        return { ...(part as Fields), [field]: await change((part as Record<string, string>)[field]!) }
      }),
    )
  return {
    ...message,
    ...(Array.isArray(content) ? { content: await changeParts(content) } : {}),
    ...(Array.isArray(parts) ? { parts: await changeParts(parts) } : {}),
    ...(Array.isArray(attachments)
      ? { attachments: await Promise.all(attachments.map((one: unknown) => withFileUrls(one, change))) }
      : {}),
  }
}

/** The field of a part that has the URL of a file. */
function urlField(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  const { type } = part as Fields
  const fields = type === 'image' ? ['image'] : type === 'file' ? ['data', 'url'] : []
  return fields.find((field) => typeof (part as Fields)[field] === 'string')
}

/** How a file is stored that came as a data URL: it comes back as one. */
const inline = /^data:([^,]*);(blob:[0-9a-f]{64})$/

export async function storeUrl(files: FileUrls, url: string): Promise<string> {
  const stored = await files.store(url)
  const type = /^data:([^;,]*)/.exec(url)?.[1]
  return type === undefined || stored === url ? stored : `data:${type};${stored}`
}

export async function showUrl(files: FileUrls, url: string): Promise<string> {
  const [, type, stored] = inline.exec(url) ?? []
  if (stored === undefined) return files.show(url)
  const sent = await files.send(stored, type)
  // This device does not have the file.
  return sent === stored ? url : sent
}
