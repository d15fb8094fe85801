import { utf8Length } from '../../domain/utf8.ts'
import { frameHeader, withText } from '../frame.ts'
import type { MirrorFolder } from '../mirror-folder.ts'
import { type RewrittenFrame, rewriteInFile } from '../mirror-writer.ts'
import { type RowsFile, readRows } from './frames-of-rows.ts'
import { findNewestRows } from './newest-rows.ts'
import { textOfRows } from './rows-text.ts'

/** How much of the frames with rows says nothing any more. */
export interface ErasedSpace {
  readonly emptyBytes: number
  readonly bytes: number
}

/**
 * Erases values from files of dead workers that were replaced or deleted since, and those of databases whose rows were
 * restored.
 *
 * @param restored - epochs of these databases
 * @param last - files that may have newer values and stay as they are
 */
export async function eraseOldRows(
  folder: MirrorFolder,
  epoch: string,
  restored: readonly string[],
  files: readonly RowsFile[],
  last: readonly RowsFile[],
): Promise<ErasedSpace> {
  const newest = await findNewestRows([...files, ...last], epoch)
  let [emptyBytes, bytes] = [0, 0]
  for (const file of files) {
    const frames: RewrittenFrame[] = []
    for await (const found of readRows(file, [epoch, ...restored])) {
      const { frame, rows } = found
      const kept = rows.filter(([key, row]) => !row || (found.epoch === epoch && newest.isNewest(found, key)))
      const size = frame.to - frame.from
      bytes += size
      if (!kept.some(([, row]) => row)) emptyBytes += size
      else if (kept.length === rows.length) emptyBytes += spacesAtEnd(frame.body)
      if (kept.length === rows.length) continue
      const text = textOfRows({ ...found, rows: kept })
      frames.push({ at: frame.from, bytes: withText(frame, text) })
      if (kept.some(([, row]) => row)) emptyBytes += size - frameHeader - utf8Length(text)
    }
    await rewriteInFile(folder, file.name, file.file.size, frames)
  }
  return { emptyBytes, bytes }
}

/** Spaces fill a frame from which values were erased. */
function spacesAtEnd(body: Uint8Array): number {
  let end = body.length
  while (end > 0 && body[end - 1] === 0x20) end--
  return body.length - end
}
