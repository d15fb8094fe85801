import type { HotRow } from '../contract/rows.ts'
import { pushAll } from '../domain/push-all.ts'
import { isFileFree, type MirrorFolder } from './mirror-folder.ts'
import { addErasures, addFile, emptyIndex, isErased, type MirrorIndex, readIndex } from './mirror-index.ts'
import { parseMirrorName } from './mirror-names.ts'
import { blankInFile } from './mirror-writer.ts'
import type { MirroredPlace } from './mirrored-place.ts'
import type { ScanCache } from './scan-cache.ts'
import type { ScannedErasure, ScannedFile } from './scan-file.ts'

/**
 * A part of a mirror that could not be used, and why. The key is empty when the part does not belong to a single
 * session.
 */
export interface LeftPart {
  readonly key: string
  readonly reason: string
}

/** The files of a mirror, as far as they are known. */
export interface IndexedFiles {
  readonly index: MirrorIndex
  /** Whether files with rows were added to the index. */
  readonly hasNewRows: boolean
  /** Files that a living worker still writes to. They are not in the index yet. */
  readonly living: ReadonlyMap<string, ScannedFile>
  readonly left: readonly LeftPart[]
}

/**
 * Adds the files to the index that are not in it yet, except those that living workers write to, and blanks what was
 * erased.
 *
 * @param names - the files with entries, without the caller's own
 * @param stored - the sessions of the database, listed before the files were read: files name every session that was
 *   erased by then
 * @param signal - only used to distinguish an abort from a damaged file
 * @throws Aborted
 */
export async function indexNewFiles(
  { folder, epoch, own }: Pick<MirroredPlace, 'folder' | 'epoch' | 'own'>,
  names: readonly string[],
  stored: readonly HotRow[],
  { scan, scans, forget }: ScanCache,
  signal: AbortSignal | undefined,
): Promise<IndexedFiles> {
  const numbers = new Map(stored.map(({ key, session }) => [key, session]))
  // A worker that died may not have carried out the erasure that it announced. A living one may still do so.
  const isDone = ({ key, sessions }: ScannedErasure): boolean => !sessions.includes(numbers.get(key) ?? -1)
  const left: LeftPart[] = []
  const erasures: ScannedErasure[] = []
  const living = new Map<string, ScannedFile>()
  let index = await readIndex(folder, epoch)
  let hasNewRows = false
  // An index that names a missing file no longer says what the mirror holds.
  if (index.files.some((name) => !names.includes(name))) index = emptyIndex(epoch)
  // After a power cut, a file may be missing that was written last.
  const { snapshot, ...rows } = index.rows
  if (snapshot !== undefined && snapshot !== own && !names.includes(snapshot))
    index = { ...index, rows: { ...rows, whole: 0 } }
  for (const name of names.filter((one) => !index.files.includes(one))) {
    const isSettled = parseMirrorName(name)?.epoch !== epoch || (await isFileFree(folder, name))
    const scanned = await scan(name).catch((error: unknown) => {
      if (signal?.aborted) throw error
      // The other files are used nevertheless.
      left.push({ key: '', reason: `The file ${name} of the mirror can't be read: ${(error as Error).message}.` })
    })
    if (scanned === undefined) continue
    if (isSettled) {
      index = addFile(index, name, scanned)
      hasNewRows ||= scanned.rows.epochs.size > 0
    } else {
      forget(name)
      living.set(name, scanned)
    }
    pushAll(erasures, scanned.erased.filter(isDone))
    if (isSettled)
      await blankInFile(
        folder,
        name,
        scanned.erased.filter((erasure) => !isDone(erasure)).map(({ place }) => place),
      )
  }
  index = addErasures(index, erasures)
  if (erasures.length > 0) {
    for (const name of index.files) await scan(name)
    await blankErased(folder, scans, index)
  }
  return { index, hasNewRows, living, left }
}

/** Overwrites the entries of sessions that were erased while another worker had the file open. */
async function blankErased(
  folder: MirrorFolder,
  scans: ReadonlyMap<string, ScannedFile>,
  index: MirrorIndex,
): Promise<void> {
  for (const [name, { sessions }] of scans) {
    await blankInFile(
      folder,
      name,
      [...sessions].flatMap(([key, { frames }]) => frames.filter(({ session }) => isErased(index, key, session))),
    )
  }
}
