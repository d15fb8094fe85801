import type { SessionClient } from '../../src/index.ts'

/** Where the bytes of stored files are. */
export type BlobReader = Pick<SessionClient['blobs'], 'get'>

/** A part of a message that names a stored file. */
export type AttachedFile = {
  readonly type: 'file'
  /** What the store knows its bytes by. */
  readonly hash: string
  readonly name: string
  readonly mimeType: string
  readonly size: number
}

/** What browsers show as pictures. */
const images = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/svg+xml',
])

export const isImage = (mimeType: string): boolean => images.has(mimeType)

/** Stores files, so that a message can name them. */
export function storeFiles(
  blobs: Pick<SessionClient['blobs'], 'put'>,
  files: readonly File[],
): Promise<readonly AttachedFile[]> {
  return Promise.all(
    files.map(async (file) => ({
      type: 'file' as const,
      hash: await blobs.put(file),
      name: file.name,
      mimeType: file.type || 'application/octet-stream',
      size: file.size,
    })),
  )
}

/** Reads a part of a message, when it names a stored file. */
export function attachedFile(part: Readonly<Record<string, unknown>>): AttachedFile | undefined {
  const { hash, name, mimeType, size } = part
  if (typeof hash !== 'string' || typeof name !== 'string' || typeof mimeType !== 'string') return undefined
  return { type: 'file', hash, name, mimeType, size: typeof size === 'number' ? size : 0 }
}
