import type { MirrorFolder } from './mirror-folder.ts'

/** How many bytes are copied at a time. */
const pieceBytes = 2 ** 22

/**
 * Renames a file by copying it, because not every browser can rename. After an interruption both files may exist, which
 * does no harm.
 *
 * @returns whether there was room
 */
export async function moveFile(folder: MirrorFolder, from: string, to: string): Promise<boolean> {
  const blob = await folder.read(from)
  const file = await folder.open(to)
  if (blob === undefined || file === undefined) return false
  let isWhole = false
  try {
    for (let at = 0; at < blob.size; at += pieceBytes) {
      const bytes = new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer())
      if (file.write(bytes, { at }) !== bytes.length) return false
    }
    file.flush()
    isWhole = true
    return true
  } finally {
    file.close()
    await folder.remove(isWhole ? from : to)
  }
}
