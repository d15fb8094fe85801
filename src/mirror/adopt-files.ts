import { isFileFree, type MirrorFolder } from './mirror-folder.ts'
import type { MirrorIndex } from './mirror-index.ts'
import { mirrorName, parseMirrorName } from './mirror-names.ts'
import { moveFile } from './move-file.ts'

/**
 * Renames the files of a lost database to the epoch of the one that was filled from them. Files in use keep their name
 * until a later start.
 */
export async function adoptFiles(folder: MirrorFolder, index: MirrorIndex, epoch: string): Promise<MirrorIndex> {
  const files: string[] = []
  for (const name of index.files) {
    const { epoch: from, boot } = parseMirrorName(name)!
    const to = mirrorName({ epoch, boot })
    if (from === epoch) files.push(name)
    else if ((await isFileFree(folder, name)) && (await moveFile(folder, name, to).catch(() => false))) files.push(to)
  }
  return { ...index, files }
}
