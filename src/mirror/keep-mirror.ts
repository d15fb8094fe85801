import type { SequenceRanges } from '../contract/entry.ts'
import type { MirrorReport } from '../contract/mirror.ts'
import type { SessionRows } from '../contract/rows.ts'
import { knownVector } from '../domain/arrive.ts'
import { joinRanges, rangesOf, withoutRanges } from '../domain/version-vector.ts'
import { abortError } from '../formats/byte-source.ts'
import { blankPurged } from './blank-purged.ts'
import { blankInFile } from './mirror-writer.ts'
import { copyBlobs, refillBlobs } from './mirror-blobs.ts'
import { copySession } from './copy-session.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { addErasures, addFile, type IndexedSession, isErased, type MirrorIndex, rangesBelow, rangesIn, readIndex, withoutFrame, writeIndex } from './mirror-index.ts'
import { mirrorName, parseMirrorName } from './mirror-names.ts'
import type { MirroredPlace } from './mirrored-place.ts'
import { moveFile } from './move-file.ts'
import { inRefillOrder } from './refill-order.ts'
import { refillSession } from './refill-session.ts'
import { beginAfresh, eraseOldRows, isWhole } from './salvage-session.ts'
import { type ScannedErasure, type ScannedFile, scanFile } from './scan-file.ts'
import { tidyMirror } from './tidy-mirror.ts'
import { pushAll } from '../domain/push-all.ts'

export interface KeepOptions {
  readonly signal?: AbortSignal
  /** Keys of sessions of which a part could not be read. Those that changed since the last time are looked at anyway. */
  readonly damaged?: readonly string[]
}

/**
 * Holds the database against its mirror, and gives each what it lacks: after the browser threw the database away or lost the end of it, and
 * after a time without a mirror. Reads only what is new since the last time; all of it once something is found to be lost. A session that can't
 * be read as it should be begins afresh from the mirror, if that has all of it. Files of workers that are alive count once they are gone, unless
 * the database is another one than theirs, or had what they hold.
 *
 * @throws Aborted
 */
export async function keepMirror(place: MirroredPlace, { signal, damaged = [] }: KeepOptions = {}): Promise<MirrorReport> {
  const { backend, folder, epoch, own } = place
  // Before the files are read: what was erased by then, they say so.
  const found = await backend.listSessions()
  const versions = new Map(found.map(({ key, version }) => [key, version]))
  const numbers = new Map(found.map(({ key, session }) => [key, session]))
  const files = new Set(await folder.list())
  const names = [...files].filter((name) => parseMirrorName(name) !== undefined && name !== own)
  const isForeign = (name: string): boolean => parseMirrorName(name)?.epoch !== epoch
  const scans = new Map<string, ScannedFile>()
  const scan = async (name: string): Promise<ScannedFile | undefined> => {
    if (signal?.aborted) throw abortError()
    const known = scans.get(name)
    const file = known === undefined ? await folder.read(name) : undefined
    if (file === undefined) return known
    const scanned = await scanFile(file, place.sealing)
    scans.set(name, scanned)
    return scanned
  }

  const left: { readonly key: string; readonly reason: string }[] = []
  const erasures: ScannedErasure[] = []
  const living = new Map<string, ScannedFile>()
  let index = await readIndex(folder, epoch)
  // One that names files which are gone no longer says what there is.
  if (index.files.some((name) => !names.includes(name))) index = { epoch, files: [], sessions: {}, erased: {} }
  for (const name of names.filter((one) => !index.files.includes(one))) {
    const isSettled = isForeign(name) || (await isFree(folder, name))
    const scanned = await scan(name).catch((error: unknown) => {
      if (signal?.aborted) throw error
      left.push({ key: '', reason: `The file ${name} of the mirror can't be read: ${(error as Error).message}.` })
    })
    // What the others hold comes back all the same.
    if (scanned === undefined) continue
    if (isSettled) index = addFile(index, name, scanned)
    else {
      scans.delete(name)
      living.set(name, scanned)
    }
    // One whose worker died before it came to it. Those that live may yet.
    const isDone = ({ key, sessions }: ScannedErasure): boolean => !sessions.includes(numbers.get(key) ?? -1)
    pushAll(erasures, scanned.erased.filter(isDone))
    if (isSettled) await blankInFile(folder, name, scanned.erased.filter((erasure) => !isDone(erasure)).map(({ place }) => place))
  }
  index = addErasures(index, erasures)
  if (erasures.length > 0) {
    for (const name of index.files) await scan(name)
    await blankErased(folder, scans, index)
  }

  const all = new Set([...Object.keys(index.sessions), ...versions.keys()])
  const changed = [...all].filter((key) => {
    const known = index.sessions[key]
    return known === undefined || known.version === 0 || known.version !== versions.get(key) || damaged.includes(key)
  })
  const isReplaced = names.some(isForeign)
  const refilled: string[] = []
  let [entries, lost, copied] = [0, 0, 0]
  const checked: Record<string, IndexedSession> = {}
  // Grows once something is found to be lost: a set gives what is added while it is gone through.
  const order = new Set(inRefillOrder(changed, scans.values()))
  for (const key of order) {
    if (signal?.aborted) throw abortError()
    let held = rangesIn(index, key)
    let rows = await backend.loadSession(key)
    const purged = rows?.cold.purged ?? {}
    if (isAnyIn(held, purged)) {
      // Compacted by a page, or while a worker that has died had its file open.
      for (const name of index.files) if ((await scan(name))?.sessions.has(key)) await blankPurged(folder, name, { key, purged })
      held = withoutRanges(held, purged)
    }
    const stored = withoutRanges(rangesHere(rows), purged)
    // One that was begun just now has nothing else than what is filled in.
    const isDamaged = rows !== undefined && !isReplaced && !(await isWhole(backend, rows))
    const former = isDamaged ? rows!.hot : undefined
    if (former !== undefined) {
      const isHeld = Object.keys(withoutRanges(stored, joinRanges(held, rangesAmong(living.values(), key)))).length === 0
      // A reply that is being streamed would be lost with the number.
      const isFree = isHeld && (await backend.listDrafts()).every(({ session }) => session !== former.session)
      if (!isFree || !(await beginAfresh(backend, rows!))) {
        // What is in use, or was written to meanwhile, the next time finds as it is then.
        if (!isHeld && (await backend.loadSession(key))?.hot.version === former.version) left.push({ key, reason: 'the mirror lacks it' })
        continue
      }
      rows = await backend.loadSession(key)
    }
    // Only what was stored once: what is there besides may be of a commit under way.
    const alive = common(rangesAmong(living.values(), key), rows?.cold.lost ?? {})
    const found = joinRanges(withoutRanges(held, rangesHere(rows)), alive)
    const missing = isDamaged ? common(found, stored) : found
    // One that was there when this began was erased meanwhile.
    if (Object.keys(missing).length > 0 && (rows !== undefined || !versions.has(key))) {
      const files = await filesWith([...index.files, ...(Object.keys(alive).length === 0 ? [] : living.keys())], key, folder, scan)
      const hot = rows?.hot
      // What is missing of one that began afresh was stored.
      const isDone = async (id: string): Promise<boolean> => hot !== undefined && !isDamaged && (hot.recent.some((done) => done.id === id) || (await backend.findOperation(hot.session, id)) !== undefined)
      const result = await refillSession(place.store, { key, files, missing, isErased: (session) => isErased(index, key, session), isDone, signal, sealing: place.sealing })
      for (const { name, frame } of result.repeated) {
        await blankInFile(folder, name, [frame])
        index = withoutFrame(index, key, frame)
      }
      entries += result.added
      lost += isReplaced || isDamaged ? result.added : Math.max(0, result.added - result.unconfirmed)
      if (result.added > 0) refilled.push(key)
      // What lost this may have lost more, of sessions that nobody has written to since.
      if (lost > 0 && !isReplaced && order.size < all.size) for (const one of all) order.add(one)
      pushAll(left, result.left.map((reason) => ({ key, reason })))
      rows = await backend.loadSession(key)
      if (former !== undefined && rows !== undefined && Object.keys(rows.cold.lost ?? {}).length === 0) await eraseOldRows(backend, former.session)
    }
    if (rows !== undefined) {
      copied += await copySession(place, key, rows, held)
      await copyBlobs(place, rows.hot.session, files)
      // What comes from here on is not known to be in the mirror, nor is what it had no room for.
      if (place.mirror.isOn()) checked[key] = { entries: { [rows.hot.session]: withoutRanges(rangesHere(rows), rows.cold.purged) }, version: rows.hot.version }
    }
  }
  if (!place.mirror.isOn()) left.push({ key: '', reason: 'There was no room for what the mirror lacks.' })
  // What files hold that could not be read, or are in use, may name any of them.
  const isComplete = left.length === 0 && names.every((name) => index.files.includes(name))
  const blobs = await refillBlobs(place, isComplete)
  const adopted = await adoptFiles(folder, index, epoch)
  const kept: MirrorIndex = { ...adopted, epoch, sessions: { ...adopted.sessions, ...checked } }
  await writeIndex(folder, kept)
  // Files that could not be joined, for want of room, are as good as they were.
  await tidyMirror(folder, kept, place.boot).catch(() => undefined)
  return { refilled, entries, lost, copied, blobs, left }
}

/** What files hold of a session. */
function rangesAmong(files: Iterable<ScannedFile>, key: string): SequenceRanges {
  return rangesOf([...files].flatMap(({ sessions }) => sessions.get(key)?.frames.flatMap(({ addresses }) => addresses) ?? []))
}

const common = (a: SequenceRanges, b: SequenceRanges): SequenceRanges => withoutRanges(a, withoutRanges(a, b))

/** Whether two sets of addresses have one in common. */
function isAnyIn(held: SequenceRanges, others: SequenceRanges): boolean {
  return Object.keys(common(held, others)).length > 0
}

/** What a database has of a session, or has deliberately given up. */
function rangesHere(rows: SessionRows | undefined): SequenceRanges {
  return rows === undefined ? {} : withoutRanges(rangesBelow(knownVector(rows)), rows.cold.lost ?? {})
}

async function isFree(folder: MirrorFolder, name: string): Promise<boolean> {
  const file = await folder.open(name)
  file?.close()
  return file !== undefined
}

interface FileWithSession {
  readonly name: string
  readonly file: Blob
  readonly scanned: ScannedFile
}

async function filesWith(names: readonly string[], key: string, folder: MirrorFolder, scan: (name: string) => Promise<ScannedFile | undefined>): Promise<readonly FileWithSession[]> {
  const found: FileWithSession[] = []
  for (const name of names) {
    const scanned = await scan(name)
    const file = scanned?.sessions.has(key) ? await folder.read(name) : undefined
    if (scanned !== undefined && file !== undefined) found.push({ name, file, scanned })
  }
  return found
}

/** Overwrites what is still there of sessions that were erased while a file was in use. */
async function blankErased(folder: MirrorFolder, scans: ReadonlyMap<string, ScannedFile>, index: MirrorIndex): Promise<void> {
  for (const [name, { sessions }] of scans) {
    await blankInFile(folder, name, [...sessions].flatMap(([key, { frames }]) => frames.filter(({ session }) => isErased(index, key, session))))
  }
}

/** Gives files of a database that is gone to the one that has taken in what they hold. Those in use stay for another time. */
async function adoptFiles(folder: MirrorFolder, index: MirrorIndex, epoch: string): Promise<MirrorIndex> {
  const files: string[] = []
  for (const name of index.files) {
    const { epoch: from, boot } = parseMirrorName(name)!
    const to = mirrorName({ epoch, boot })
    if (from === epoch) files.push(name)
    else if ((await isFree(folder, name)) && (await moveFile(folder, name, to).catch(() => false))) files.push(to)
  }
  return { ...index, files }
}
