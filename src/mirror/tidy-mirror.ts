import type { MirrorFolder } from './mirror-folder.ts'
import { isErased, type MirrorIndex, writeIndex } from './mirror-index.ts'
import { mirrorName } from './mirror-names.ts'
import { createMirrorWriter, type MirrorWriter } from './mirror-writer.ts'
import type { RowsPlace } from './mirrored-place.ts'
import { erasureText } from './mirrored-text.ts'
import { readFrameText } from './read-frames.ts'
import type { ErasedSpace } from './rows/erase-old-rows.ts'
import { lostEpochs } from './rows/rows-index.ts'
import { textOfMark, textOfRows } from './rows/rows-text.ts'
import { snapshotRows } from './rows/snapshot-rows.ts'
import { scanFile } from './scan-file.ts'

/** How many files of former workers a mirror may have before they are joined. */
const manyFiles = 8
/** How many bytes of frames with rows may say nothing any more, if that is more than half of them. */
const manyEmptyBytes = 2 ** 23

/** The rows of collections, for a mirror that has any. */
export interface TidyRows {
  readonly place: RowsPlace
  readonly space: ErasedSpace | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Joins the files of former workers, without frames that were undone or erased and without blank space. They are
 * deleted once the joined file is complete. After an interruption entries may exist twice, which does no harm. Rows get
 * a file of their own, so that what is done with rows need not read the entries.
 *
 * @param boot - for the names of the joined files
 */
export async function tidyMirror(
  folder: MirrorFolder,
  index: MirrorIndex,
  boot: string,
  rows: TidyRows | undefined,
): Promise<void> {
  const { emptyBytes = 0, bytes = 0 } = rows?.space ?? {}
  const isWasteful = emptyBytes > manyEmptyBytes && emptyBytes > bytes / 2
  if (index.files.length < manyFiles && !isWasteful) return
  const hasRows = index.rows.boots.length > 0
  // Rows that are still to be restored must stay.
  if (hasRows && (rows === undefined || lostEpochs(index.rows).length > 0)) return
  const name = mirrorName({ epoch: index.epoch, boot })
  const isJoined = await writeJoined(folder, name, (writer) => joinEntries(folder, index, writer))
  if (!isJoined) return
  const rowsBoot = `${boot}rows`
  let joined: MirrorIndex = { ...index, files: [name] }
  if (hasRows && rows !== undefined) {
    const rowsName = mirrorName({ epoch: index.epoch, boot: rowsBoot })
    let whole = 0
    const isWritten = await writeJoined(folder, rowsName, async (writer) => {
      whole = await joinRows(rows, index, writer)
    })
    if (!isWritten) return
    const links = index.rows.links.filter(([stamp]) => stamp > whole)
    joined = { ...joined, files: [name, rowsName], rows: { ...index.rows, whole, links, boots: [rowsBoot] } }
  }
  await writeIndex(folder, joined)
  for (const one of index.files) await folder.remove(one)
}

/** @returns false when the file is in use. @throws what `write` throws, without the file */
async function writeJoined(
  folder: MirrorFolder,
  name: string,
  write: (writer: MirrorWriter) => Promise<void>,
): Promise<boolean> {
  const file = await folder.open(name)
  if (file === undefined) return false
  const writer = createMirrorWriter(file)
  try {
    await write(writer)
    writer.confirm()
    writer.add('blank', '')
    writer.flush()
  } catch (error) {
    writer.close()
    await folder.remove(name)
    throw error
  }
  writer.close()
  return true
}

async function joinEntries(folder: MirrorFolder, index: MirrorIndex, writer: MirrorWriter): Promise<void> {
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
}

/**
 * Writes all rows of the database, which was compared with the mirror just now and has everything that the joined files
 * have.
 *
 * @returns up to which stamp
 */
async function joinRows(
  { place, signal }: TidyRows,
  { epoch, rows }: MirrorIndex,
  writer: MirrorWriter,
): Promise<number> {
  for (const mark of rows.marks) writer.add('rows', textOfMark(mark))
  const { stamp, unreadable } = await snapshotRows(
    place,
    (part) => void writer.add('rows', textOfRows({ epoch, ...part })),
    signal,
  )
  // The joined files have the last copy of what the database can't read.
  if (stamp < rows.whole || unreadable > 0) throw new Error('The database can not read all of its rows.')
  return stamp
}
