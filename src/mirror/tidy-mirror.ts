import { erasureText } from './mirrored-text.ts'
import { createMirrorWriter } from './mirror-writer.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { isErased, type MirrorIndex, writeIndex } from './mirror-index.ts'
import { mirrorName } from './mirror-names.ts'
import { readFrameText } from './read-frames.ts'
import { scanFile } from './scan-file.ts'

/** Files of workers that are gone, of which a mirror may have so many before they are joined. */
const manyFiles = 8

/**
 * Joins the files of workers that are gone, without what was taken back or erased, and without the room of what was compacted. They are deleted once the joined one is complete: what a
 * death leaves twice does no harm.
 *
 * @param boot - of the joined file
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
          // Where entries were taken out, it is filled up.
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
