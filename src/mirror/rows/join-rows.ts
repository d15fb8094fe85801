import type { MirrorFolder } from '../mirror-folder.ts'
import type { MirrorIndex } from '../mirror-index.ts'
import type { MirrorWriter } from '../mirror-writer.ts'
import type { RowsPlace } from '../mirrored-place.ts'
import { type RowsFile, readRows } from './frames-of-rows.ts'
import { findNewestRows } from './newest-rows.ts'
import { textOfMark, textOfRows } from './rows-text.ts'
import { scanRows } from './scan-rows.ts'
import { snapshotRows } from './snapshot-rows.ts'

export interface JoinRows {
  readonly place: RowsPlace
  readonly signal: AbortSignal | undefined
  readonly folder: MirrorFolder
  readonly index: MirrorIndex
  /** The files to be joined. */
  readonly files: readonly string[]
  readonly writer: MirrorWriter
}

/**
 * Writes all rows of the database, which was compared with the mirror just now and has everything that the joined files
 * have.
 *
 * @returns up to which stamp; `undefined` when the database can not read all of its rows
 */
export async function joinRows({
  place,
  signal,
  folder,
  index: { epoch, rows },
  files,
  writer,
}: JoinRows): Promise<number | undefined> {
  for (const mark of rows.marks) writer.add('rows', textOfMark(mark))
  // The database that this one was filled from may come back, and must hear then what was deleted.
  if (rows.marks.some((mark) => mark.epoch === epoch)) await writeDeletions(folder, epoch, files, writer)
  const { stamp, unreadable } = await snapshotRows(
    place,
    (part) => void writer.add('rows', textOfRows({ epoch, ...part })),
    signal,
  )
  // The joined files have the last copy of what the database can't read.
  return stamp < rows.whole || unreadable > 0 ? undefined : stamp
}

/** Writes what the files say of deleted rows, of each commit what still counts. */
async function writeDeletions(
  folder: MirrorFolder,
  epoch: string,
  names: readonly string[],
  writer: MirrorWriter,
): Promise<void> {
  const files: RowsFile[] = []
  for (const name of names) {
    const file = await folder.read(name)
    if (file !== undefined) files.push({ name, file, scanned: await scanRows(file) })
  }
  const newest = await findNewestRows(files, epoch)
  for (const file of files) {
    for await (const found of readRows(file, epoch)) {
      const rows = found.rows.filter(([key, row]) => row === undefined && newest.isNewest(found, key))
      if (rows.length > 0) writer.add('rows', textOfRows({ ...found, part: 1, of: 1, rows }))
    }
  }
}
