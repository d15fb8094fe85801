import type { StoredEntry } from '../contract/rows.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { blobHash, indexFile, parseMirrorName } from './mirror-names.ts'
import { parseEntries } from './mirrored-text.ts'
import { readFrames } from './read-frames.ts'
import { textOf } from './frame.ts'

/** Tells what of a mirror must not stay in it. */
export interface MirrorStyle {
  isCurrent(entry: StoredEntry): boolean
  isCurrentBlob(blob: Blob): Promise<boolean>
}

/**
 * Removes the files of a mirror that hold what is not encrypted as it is to be. What is in them must be in the database, which mirrors it
 * again. Those of workers that live stay for another time.
 *
 * @returns whether none is left
 */
export async function renewMirror(folder: MirrorFolder, { isCurrent, isCurrentBlob }: MirrorStyle): Promise<boolean> {
  let isWhole = true
  for (const name of await folder.list()) {
    const file = parseMirrorName(name) === undefined && blobHash(name) === undefined ? undefined : await folder.read(name)
    if (file === undefined || (await (blobHash(name) === undefined ? isCurrentFile(file, isCurrent) : isCurrentBlob(file)))) continue
    const held = await folder.open(name)
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

async function isCurrentFile(file: Blob, isCurrent: MirrorStyle['isCurrent']): Promise<boolean> {
  for await (const frames of readFrames(file)) {
    for (const { head, body } of frames) if (head.kind === 'entries' && !(parseEntries(textOf(body))?.entries ?? []).every(isCurrent)) return false
  }
  return true
}
