import type { MirrorFolder } from './mirror-folder.ts'
import { isErased, type MirrorIndex, writeIndex } from './mirror-index.ts'
import { mirrorName } from './mirror-names.ts'
import { createMirrorWriter } from './mirror-writer.ts'
import { erasureText } from './mirrored-text.ts'
import { readFrameText } from './read-frames.ts'
import { scanFile } from './scan-file.ts'

/** How many files of former workers a mirror may have before they are joined. */
const manyFiles = 8

/**
 * Joins the files of former workers, without frames that were undone or erased and without blank space. They are
 * deleted once the joined file is complete. After an interruption entries may exist twice, which does no harm.
 *
 * @param boot - for the name of the joined file
 */
export async function tidyMirror(folder: MirrorFolder, index: MirrorIndex, boot: string): Promise<void> {
  if (index.files.length < manyFiles) return
  const name = mirrorName({ epoch: index.epoch, boot })
  const file = await folder.open(name)
  if (file === undefined) return
  const writer = createMirrorWriter(file)
  try {
    for (const [key, sessions] of Object.entries(index.erased)) writer.add('erased', erasureText({ key, sessions }))
    for (const one of index.files) {
      const blob = await folder.read(one)
      if (blob === undefined) continue
      for (const [key, { frames }] of (await scanFile(blob)).sessions) {
        for (const frame of frames) {
          if (isErased(index, key, frame.session)) continue
          const text = await readFrameText(blob, frame)
          // Where entries were removed, spaces fill the frame.
          if (text !== undefined) writer.add('entries', text.trimEnd())
        }
      }
    }
    writer.confirm()
    writer.add('blank', '')
    writer.flush()
  } catch (error) {
    writer.close()
    await folder.remove(name)
    throw error
  }
  writer.close()
  await writeIndex(folder, { ...index, files: [name] })
  for (const one of index.files) await folder.remove(one)
}
