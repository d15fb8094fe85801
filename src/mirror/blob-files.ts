import type { MirrorFolder } from './mirror-folder.ts'
import { blobName } from './mirror-names.ts'

/** Writes a blob to a file of its own. @throws RangeError when there is no room */
export async function writeBlobFile(folder: MirrorFolder, hash: string, blob: Blob): Promise<void> {
  const name = blobName(hash)
  const file = await folder.open(name)
  // Another worker has the file open, and writes the same bytes.
  if (file === undefined) return
  let isWhole = false
  try {
    isWhole =
      file.getSize() === blob.size || file.write(new Uint8Array(await blob.arrayBuffer()), { at: 0 }) === blob.size
  } finally {
    file.close()
    // A part of a blob is useless, and must not be mistaken for the whole.
    if (!isWhole) await folder.remove(name).catch(() => false)
  }
  if (!isWhole) throw new RangeError('There is no room for the mirror.')
}

/**
 * Removes the files of blobs. A file that can't be removed now is removed when the mirror is next compared with the
 * database.
 */
export async function removeBlobFiles(folder: MirrorFolder, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) await folder.remove(blobName(hash)).catch(() => false)
}
