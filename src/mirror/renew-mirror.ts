import type { StoredEntry } from '../contract/rows.ts'
import type { StoredRow } from '../contract/stored-row.ts'
import { textOf } from './frame.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { readIndex } from './mirror-index.ts'
import { blobHash, indexFile, parseMirrorName } from './mirror-names.ts'
import { parseEntries } from './mirrored-text.ts'
import { readFrames } from './read-frames.ts'
import { parseRows } from './rows/rows-text.ts'

/** Decides which content of a mirror must be replaced. */
export interface MirrorStyle {
  isCurrent(entry: StoredEntry): boolean
  isCurrentRow(row: StoredRow): boolean
  /** @returns the blob sealed again; `undefined` when it can stay as it is. @throws when it is damaged */
  renewBlob(hash: string, blob: Blob): Promise<Blob | undefined>
}

/**
 * Removes the files of a mirror whose content is not encrypted with the current key. The database must have their
 * content, and mirrors it again. Files of living workers stay until a later call.
 *
 * @param epoch - of the database that the mirror was compared with just now
 * @returns whether no such file is left
 */
export async function renewMirror(folder: MirrorFolder, epoch: string, style: MirrorStyle): Promise<boolean> {
  let isWhole = true
  const { files } = await readIndex(folder, epoch)
  for (const name of await folder.list()) {
    const hash = blobHash(name)
    const file = parseMirrorName(name) === undefined && hash === undefined ? undefined : await folder.read(name)
    if (file === undefined) continue
    if (hash !== undefined) {
      // A damaged blob is useless, sealed or not, and becomes empty.
      const blob = await style.renewBlob(hash, file).catch(() => new Blob())
      isWhole = (blob === undefined || (await writeBlob(folder, name, blob))) && isWhole
      continue
    }
    if (await isCurrentFile(file, style)) continue
    // A file that was not compared with the database may have entries that the database lost.
    const held = files.includes(name) ? await folder.open(name) : undefined
    if (held === undefined) {
      isWhole = false
      continue
    }
    // Removing only the name would leave the bytes on the disk for a while.
    held.truncate(0)
    held.close()
    isWhole = (await folder.remove(name)) && isWhole
    // The index names the removed file.
    await folder.remove(indexFile)
  }
  return isWhole
}

/** Entries are mirrored again with their session, but blobs are not, so that they are rewritten here. */
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

async function isCurrentFile(file: Blob, { isCurrent, isCurrentRow }: MirrorStyle): Promise<boolean> {
  for await (const frames of readFrames(file)) {
    for (const { head, body } of frames) {
      if (head.kind === 'entries' && !(parseEntries(textOf(body))?.entries ?? []).every(isCurrent)) return false
      // What is to be deleted, or could not be read, has no content.
      if (head.kind === 'rows' && !(parseRows(body)?.rows ?? []).every(([, row]) => !row || isCurrentRow(row)))
        return false
    }
  }
  return true
}
