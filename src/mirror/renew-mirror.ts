import type { StoredEntry } from '../contract/rows.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { readIndex } from './mirror-index.ts'
import { blobHash, indexFile, parseMirrorName } from './mirror-names.ts'
import { parseEntries } from './mirrored-text.ts'
import { readFrames } from './read-frames.ts'
import { textOf } from './frame.ts'

/** Tells what of a mirror must not stay in it. */
export interface MirrorStyle {
  isCurrent(entry: StoredEntry): boolean
  /** @returns `undefined` for a blob that may stay as it is. @throws when it is not what was stored */
  renewBlob(hash: string, blob: Blob): Promise<Blob | undefined>
}

/**
 * Removes the files of a mirror that hold what is not encrypted as it is to be. What is in them must be in the database, which mirrors it
 * again. Those of workers that live stay for another time.
 *
 * @param epoch - of the database, against which the mirror was held just now
 * @returns whether none is left
 */
export async function renewMirror(folder: MirrorFolder, epoch: string, { isCurrent, renewBlob }: MirrorStyle): Promise<boolean> {
  let isWhole = true
  const { files } = await readIndex(folder, epoch)
  for (const name of await folder.list()) {
    const hash = blobHash(name)
    const file = parseMirrorName(name) === undefined && hash === undefined ? undefined : await folder.read(name)
    if (file === undefined) continue
    if (hash !== undefined) {
      // Damaged ones are of no use to anybody, sealed or not.
      const blob = await renewBlob(hash, file).catch(() => new Blob())
      isWhole = (blob === undefined || (await writeBlob(folder, name, blob))) && isWhole
      continue
    }
    if (await isCurrentFile(file, isCurrent)) continue
    // One that was not held against the database may have what that lost.
    const held = files.includes(name) ? await folder.open(name) : undefined
    if (held === undefined) {
      isWhole = false
      continue
    }
    // Removed by name only, its bytes would stay on the disk for a while.
    held.truncate(0)
    held.close()
    isWhole = (await folder.remove(name)) && isWhole
    // It names what is no longer there.
    await folder.remove(indexFile)
  }
  return isWhole
}

/** Entries are mirrored again by their session, blobs by nobody: so they are written anew. */
async function writeBlob(folder: MirrorFolder, name: string, blob: Blob): Promise<boolean> {
  const file = await folder.open(name)
  if (file === undefined) return false
  try {
    const bytes = new Uint8Array(await blob.arrayBuffer())
    file.truncate(0)
    file.write(bytes, { at: 0 })
    file.flush()
  } finally {
    file.close()
  }
  return true
}

async function isCurrentFile(file: Blob, isCurrent: MirrorStyle['isCurrent']): Promise<boolean> {
  for await (const frames of readFrames(file)) {
    for (const { head, body } of frames) if (head.kind === 'entries' && !(parseEntries(textOf(body))?.entries ?? []).every(isCurrent)) return false
  }
  return true
}
