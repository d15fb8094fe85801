import { joinEntries } from './join-entries.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { type MirrorIndex, writeIndex } from './mirror-index.ts'
import { mirrorName, parseMirrorName } from './mirror-names.ts'
import { createMirrorWriter, type MirrorWriter } from './mirror-writer.ts'
import type { RowsPlace } from './mirrored-place.ts'
import type { ErasedSpace } from './rows/erase-old-rows.ts'
import { joinRows } from './rows/join-rows.ts'
import { lostEpochs, type RowsIndex } from './rows/rows-index.ts'

/** How many files of former workers a mirror may have before they are joined. */
const manyFiles = 8
/** How many bytes of frames with rows may say nothing any more, if that is more than half of them. */
const manyEmptyBytes = 2 ** 23

/** The rows of collections, for a mirror that has any. */
export interface TidyRows {
  readonly place: RowsPlace
  readonly space: ErasedSpace | undefined
  /** Whether the database has everything that the files have. */
  readonly isCompared: boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Joins the files of former workers, without frames that were undone or erased and without blank space. They are
 * deleted once the joined files are complete and in the index; otherwise these are removed. Rows get a file of their own,
 * so that what is done with rows need not read the entries. While the rows can't be joined, files with rows stay.
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
  const isMany = index.files.length >= manyFiles
  if (!isMany && !isWasteful) return
  const written: string[] = []
  const withRows = index.files.filter((name) => hasRows(index, name))
  const plain = index.files.filter((name) => !hasRows(index, name))
  let isDone = false
  try {
    // Rows come first: it depends on them which files can be joined.
    const joinedRows =
      withRows.length > 0 && rows !== undefined
        ? await writeRows(folder, index, withRows, `${boot}rows`, rows, written)
        : undefined
    const areRowsLeft = withRows.length > 0 && joinedRows === undefined
    if (areRowsLeft && plain.length < manyFiles) return
    // A few files with entries alone have no empty room of rows.
    const files = areRowsLeft ? plain : isMany ? index.files : withRows
    const name = mirrorName({ epoch: index.epoch, boot })
    if (!(await writeJoined(folder, name, written, (writer) => joinEntries(folder, index, files, writer)))) return
    const kept = index.files.filter((one) => !files.includes(one))
    await writeIndex(folder, { ...index, rows: joinedRows ?? index.rows, files: [...kept, ...written] })
    isDone = true
    for (const one of files) await folder.remove(one)
  } finally {
    // Files that stay behind would be joined again at each start.
    if (!isDone) for (const one of written) await folder.remove(one)
  }
}

const hasRows = ({ rows }: MirrorIndex, name: string): boolean => rows.boots.includes(parseMirrorName(name)!.boot)

/** @returns what the index says of the rows, if they can be joined. @throws Aborted */
async function writeRows(
  folder: MirrorFolder,
  index: MirrorIndex,
  files: readonly string[],
  boot: string,
  rows: TidyRows,
  written: string[],
): Promise<RowsIndex | undefined> {
  // Rows that are still to be restored must stay: the files may have the last copy.
  if (!rows.isCompared || lostEpochs(index.rows).length > 0) return undefined
  const name = mirrorName({ epoch: index.epoch, boot })
  let whole: number | undefined
  try {
    await writeJoined(folder, name, written, async (writer) => {
      whole = await joinRows({ ...rows, folder, index, files, writer })
    })
  } catch (error) {
    if (rows.signal?.aborted) throw error
    // The files stay, and the next start tries again. Those without rows can be joined nevertheless.
    whole = undefined
  }
  if (whole !== undefined) {
    const upTo = whole
    const links = index.rows.links.filter(([stamp]) => stamp > upTo)
    return { ...index.rows, whole, links, boots: [boot], snapshot: name }
  }
  if (written.includes(name)) await folder.remove(name)
  written.length = 0
  return undefined
}

/**
 * @param written - the name is added to it as soon as there is a file
 * @returns false when the file is in use. @throws what `write` throws
 */
async function writeJoined(
  folder: MirrorFolder,
  name: string,
  written: string[],
  write: (writer: MirrorWriter) => Promise<void>,
): Promise<boolean> {
  const file = await folder.open(name)
  if (file === undefined) return false
  written.push(name)
  const writer = createMirrorWriter(file)
  try {
    await write(writer)
    writer.confirm()
    writer.add('blank', '')
    writer.flush()
  } finally {
    writer.close()
  }
  return true
}
