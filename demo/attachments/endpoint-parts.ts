import type { AttachedFile, BlobReader } from './attached-file.ts'

/** A part of a message as OpenAI-compatible endpoints take it. */
export type EndpointPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }

/** Pictures that models commonly read. */
const readable = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const textual = /^text\/|[/+](?:json|xml|yaml|javascript)$/

/** A file for a model: a picture as it is, a text in words, anything else by its name. */
export async function endpointPart({ hash, name, mimeType }: AttachedFile, blobs: BlobReader): Promise<EndpointPart> {
  const blob = await blobs.get(hash)
  if (blob === undefined) return { type: 'text', text: `[The file ${name} is not on this device.]` }
  if (readable.has(mimeType)) return { type: 'image_url', image_url: { url: await dataUrl(blob, mimeType) } }
  if (textual.test(mimeType)) return { type: 'text', text: `${name}:\n\n${await blob.text()}` }
  return { type: 'text', text: `[The file ${name} of type ${mimeType} is attached, but can’t be read.]` }
}

function dataUrl(blob: Blob, mimeType: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(new Blob([blob], { type: mimeType }))
  })
}
