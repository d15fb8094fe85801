import type { MirrorFolder } from '../mirror-folder.ts'
import { parseMirrorName } from '../mirror-names.ts'
import type { MirroredPlace, RowsPlace } from '../mirrored-place.ts'
import { retryReading } from '../retry-reading.ts'
import type { ScannedFile } from '../scan-file.ts'
import { type ErasedSpace, eraseOldRows } from './erase-old-rows.ts'
import type { RowsFile } from './frames-of-rows.ts'
import { newestSnapshot } from './newest-rows.ts'
import { hasLostRows, reapplyRows } from './reapply-rows.ts'
import { restoreRows } from './restore-rows.ts'
import { lostEpochs, type RowsIndex } from './rows-index.ts'
import { scanRows } from './scan-rows.ts'
import { snapshotRows } from './snapshot-rows.ts'
import { type RowsWalk, walkRows } from './walk-rows.ts'

/** After this time a frame is on the disk for sure: a worker flushes within a second. */
const settledMs = 60_000
/** How many commits since then the index has. If there were more, the next start reads the files again. */
const mostLinks = 1000
/** How often a comparison begins again because somebody changed rows meanwhile, and how long it waits for them. */
const maxTries = 4
const pauseMs = 100

export interface KeepRows {
  readonly place: MirroredPlace
  readonly rows: RowsPlace
  /** Files of dead workers, and those of lost databases. */
  readonly names: readonly string[]
  readonly index: RowsIndex
  /** Whether files with rows were added to the index just now. */
  readonly hasNew: boolean
  /** Whether all files could be read. If not, what was lost is restored again next time. */
  readonly isComplete: boolean
  readonly scan: (name: string) => Promise<ScannedFile | undefined>
  readonly signal: AbortSignal | undefined
}

export interface KeptRows {
  readonly index: RowsIndex
  /** Rows that were restored. */
  readonly restored: number
  /** Reasons why parts could not be restored. */
  readonly left: readonly string[]
  /** Whether the database has everything now that the mirror has of its rows. If not, files may have the last copy. */
  readonly isCompared: boolean
  /** How much of the frames says nothing any more; absent when it was not looked at. */
  readonly space?: ErasedSpace
}

/**
 * Restores rows that the database lost, and copies all rows to the mirror if that lacks any. Rows of other databases
 * come first. Commits at the end of this database that it lost are done again. @throws Aborted
 */
export async function keepRows(options: KeepRows): Promise<KeptRows> {
  const { place, rows } = options
  const left: string[] = []
  let { index } = options
  let restored = 0
  const lost = lostEpochs(index)
  if (lost.length > 0) {
    const last = await rows.stored.lastRowsStamp()
    const files = [...(await deadFiles(options)), ...(await otherFiles(options))]
    const done = await restoreRows({ ...restoring(options), index, last, files })
    restored += done.rows
    if (done.unreadable > 0) left.push(`${done.unreadable} rows of collections can't be decrypted or are damaged.`)
    // Rows that can't be opened may be later on, with another key.
    if (options.isComplete && !done.isOutdated && done.unreadable === 0) {
      // After a power cut, a mark must not be there without what it says. The mirror writes it behind the rows.
      await rows.stored.flush?.()
      const marks = lost.map((one) => ({ lost: one, upTo: index.others[one]! }))
      for (const mark of marks) await place.mirror.markRestored(mark)
      if (place.mirror.isOn())
        index = { ...index, marks: [...index.marks, ...marks.map((mark) => ({ epoch: place.epoch, ...mark }))] }
    }
  }
  const compared = await compareRows({ ...options, index })
  restored += compared.restored
  if (compared.unreadable > 0)
    left.push(`${compared.unreadable} rows of collections can't be decrypted or are damaged.`)
  if (compared.isGivenUp)
    left.push(
      'Somebody changed rows of collections all the time while they were compared. The next start does it again.',
    )
  index = compared.index
  const { isCompared } = compared
  const { hasOld, ...others } = index
  const isOld = options.hasNew || hasOld || compared.hasSnapshot || restored > 0
  if (!isOld) return { index, restored, left, isCompared }
  // What a commit replaced that the database lost may be the last copy.
  const space = isCompared ? await eraseOld({ ...options, index }) : undefined
  if (space === undefined) return { index: { ...index, hasOld: true }, restored, left, isCompared }
  return { index: others, restored, left, isCompared, space }
}

/** @returns `undefined` when it must not be done yet */
async function eraseOld(options: KeepRows): Promise<ErasedSpace | undefined> {
  const { place, rows, index } = options
  // After a power cut, the newer values must be there: in the database, and in the mirror.
  await rows.stored.flush?.()
  await place.mirror.flush()
  if (!place.mirror.isOn()) return undefined
  const files = await deadFiles(options)
  return eraseOldRows(place.folder, place.epoch, restoredEpochs(index), files, await ownFile(options))
}

/** Epochs of other databases that have nothing any more that is not in this one. */
function restoredEpochs(index: RowsIndex): readonly string[] {
  const lost = lostEpochs(index)
  return Object.keys(index.others).filter((one) => !lost.includes(one))
}

const restoring = ({ place: { epoch, sealing }, rows: place, signal }: KeepRows) => ({ place, sealing, signal, epoch })

interface ComparedRows {
  readonly index: RowsIndex
  readonly restored: number
  readonly unreadable: number
  readonly hasSnapshot: boolean
  readonly isCompared: boolean
  /** Whether somebody changed rows again each time. */
  readonly isGivenUp?: true
}

/** Compares the commits that changed rows in this database with those in its mirror. */
async function compareRows(options: KeepRows): Promise<ComparedRows> {
  const { place, rows, index, signal } = options
  let [restored, unreadable] = [0, 0]
  for (let tries = 1; ; tries++) {
    const last = await rows.stored.lastRowsStamp()
    // The next commit has a stamp that can be read.
    if (last < 0) return { index, restored, unreadable, hasSnapshot: false, isCompared: false }
    const { walk, others, dead } = await walkBack(options, last)
    // What was read again is known better than from the index.
    const known = dead === undefined ? index : { ...index, links: [...linksOf(dead, place.epoch)] }
    if (dead !== undefined && (walk.end < newestSnapshot(dead, place.epoch) || hasLostRows(known.links, walk))) {
      const done = await reapplyRows({ ...restoring(options), last, walk, files: dead, others })
      restored += done.rows
      unreadable = Math.max(unreadable, done.unreadable)
      if (done.rows > 0 || done.isOutdated) {
        if (tries < maxTries) continue
        return { index, restored, unreadable, hasSnapshot: false, isCompared: false, isGivenUp: true }
      }
      // A later key may open them. Nothing of what was found out may hide them from the next start, nor a snapshot.
      if (done.unreadable > 0) return { index, restored, unreadable, hasSnapshot: false, isCompared: false }
    }
    if (walk.isWhole) {
      const end = settledEnd(walk)
      return { index: wholeUpTo(known, end), restored, unreadable, hasSnapshot: false, isCompared: true }
    }
    // A worker writes its frame right after its commit, and may be about to.
    if (others.some(({ name }) => name !== place.own) && tries < maxTries) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      continue
    }
    const { stamp } = await snapshotRows(rows, (part) => place.mirror.addRows([part]), signal)
    const hasSnapshot = place.mirror.isOn()
    const compared = { restored, unreadable, hasSnapshot, isCompared: true }
    return { ...compared, index: hasSnapshot ? { ...wholeUpTo(known, stamp), snapshot: place.own } : index }
  }
}

interface WalkedRows {
  readonly walk: RowsWalk
  /** Files that the index does not cover. */
  readonly others: readonly RowsFile[]
  /** Present when something is lost: the other files, read again. */
  readonly dead?: readonly RowsFile[]
}

/** To compare, the files that the index covers need not be read most often. Erasing what was replaced reads them. */
async function walkBack(options: KeepRows, last: number): Promise<WalkedRows> {
  const { place, index } = options
  if (last === index.whole && index.links.length === 0)
    return { walk: { reached: new Set(), end: last, isWhole: true }, others: [] }
  const others = await otherFiles(options)
  const links = new Map(index.links)
  const whole = Math.max(index.whole, newestSnapshot(others, place.epoch))
  const walk = walkRows(last, { whole, links: new Map([...links, ...linksOf(others, place.epoch)]) })
  if (walk.isWhole && walk.end === whole && !hasLostRows(links, walk)) return { walk, others }
  const dead = await deadFiles(options)
  const all = [...dead, ...others]
  const snapshot = newestSnapshot(all, place.epoch)
  return {
    walk: walkRows(last, { whole: snapshot > last ? 0 : snapshot, links: linksOf(all, place.epoch) }),
    others,
    dead,
  }
}

/** The newest stamp of the walk whose frame is on the disk for sure. */
function settledEnd({ reached, end }: RowsWalk): number {
  const before = Date.now() - settledMs
  for (const stamp of reached) if (stamp <= before) return Math.max(stamp, end)
  return end
}

function wholeUpTo(index: RowsIndex, whole: number): RowsIndex {
  return { ...index, whole, links: index.links.filter(([stamp]) => stamp > whole).slice(-mostLinks) }
}

function linksOf(files: readonly RowsFile[], epoch: string): ReadonlyMap<number, number> {
  const links = new Map<number, number>()
  for (const { scanned } of files)
    for (const [stamp, previous] of scanned.epochs.get(epoch)?.links ?? []) links.set(stamp, previous)
  return links
}

/** The files with rows that the index covers. */
async function deadFiles({ place: { folder }, names, index, scan }: KeepRows): Promise<readonly RowsFile[]> {
  const found: RowsFile[] = []
  for (const name of names) {
    if (!index.boots.includes(parseMirrorName(name)!.boot)) continue
    const scanned = await scan(name)
    const file = scanned && (await folder.read(name))
    if (file !== undefined) found.push({ name, file, scanned: scanned!.rows })
  }
  return found
}

/** The files that the index does not cover, as they are now: those of living workers, the caller's own among them. */
async function otherFiles({ place: { folder, epoch }, names }: KeepRows): Promise<readonly RowsFile[]> {
  const covered = new Set(names)
  const found: RowsFile[] = []
  for (const name of await folder.list()) {
    if (parseMirrorName(name)?.epoch !== epoch || covered.has(name)) continue
    const one = await scanNow(folder, name)
    if (one !== undefined) found.push(one)
  }
  return found
}

const scanNow = (folder: MirrorFolder, name: string): Promise<RowsFile | undefined> =>
  retryReading(async () => {
    const file = await folder.read(name)
    return file && { name, file, scanned: await scanRows(file) }
  })

async function ownFile({ place: { folder, own } }: KeepRows): Promise<readonly RowsFile[]> {
  const file = await scanNow(folder, own)
  return file === undefined ? [] : [file]
}
