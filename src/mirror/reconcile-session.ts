import type { SequenceRanges } from '../contract/entry.ts'
import type { HotRow, SessionRows } from '../contract/rows.ts'
import { commonRanges, joinRanges, withoutRanges } from '../domain/version-vector.ts'
import { blankPurged } from './blank-purged.ts'
import { copySession } from './copy-session.ts'
import type { LeftPart } from './index-new-files.ts'
import { copyBlobs } from './mirror-blobs.ts'
import { type IndexedSession, isErased, type MirrorIndex, rangesIn, withoutFrame } from './mirror-index.ts'
import { isNoRange, rangesInDatabase, rangesInFiles } from './mirror-ranges.ts'
import { blankInFile } from './mirror-writer.ts'
import type { MirroredPlace } from './mirrored-place.ts'
import { type RefillSession, refillSession } from './refill-session.ts'
import { eraseOldRows, isWhole, restartSession } from './salvage-session.ts'
import type { ScanCache } from './scan-cache.ts'
import type { ScannedFile } from './scan-file.ts'

/** The state of one comparison of a database with its mirror. */
export interface MirrorPass {
  readonly place: MirroredPlace
  readonly signal: AbortSignal | undefined
  readonly scan: ScanCache['scan']
  /** Files that a living worker still writes to. */
  readonly living: ReadonlyMap<string, ScannedFile>
  /** All files of the folder. */
  readonly files: ReadonlySet<string>
  /** Versions of the sessions that the database had at the start. */
  readonly versions: ReadonlyMap<string, number>
  /** Whether the mirror was made for another database. */
  readonly isReplaced: boolean
  /** Frames that turn out never to have been stored are removed from it. */
  index: MirrorIndex
}

export interface ReconciledSession {
  /** Entries that were restored to the database. */
  readonly added: number
  /** Those of them that may have been reported as stored. */
  readonly lost: number
  /** Entries that the mirror lacked. */
  readonly copied: number
  /** The session's new entry in the index; absent when it must be compared again next time. */
  readonly checked?: IndexedSession
  readonly left: readonly LeftPart[]
}

/** A session of the database to which entries can be restored. */
interface OpenSession {
  readonly rows: SessionRows | undefined
  /** Its row under its former local number; absent when it kept its number. */
  readonly former: HotRow | undefined
  /** Addresses of the entries that it had, including those that can't be read. */
  readonly stored: SequenceRanges
}

/** Restores the entries of one session that the database lacks, and then copies those that the mirror lacks. */
export async function reconcileSession(pass: MirrorPass, key: string): Promise<ReconciledSession> {
  const { place } = pass
  const loaded = await place.backend.loadSession(key)
  const held = await withoutPurged(pass, key, loaded)
  const open = await openSession(pass, key, loaded, held)
  if ('left' in open) return { added: 0, lost: 0, copied: 0, left: open.left }
  const { rows, added, lost, left } = await refill(pass, key, open, held)
  if (rows === undefined) return { added, lost, copied: 0, left }
  const copied = await copySession(place, key, rows, held)
  await copyBlobs(place, rows.hot.session, pass.files)
  // If the mirror stopped because there was no room, it may lack everything from here on.
  if (!place.mirror.isOn()) return { added, lost, copied, left }
  const entries = { [rows.hot.session]: withoutRanges(rangesInDatabase(rows), rows.cold.purged) }
  return { added, lost, copied, left, checked: { entries, version: rows.hot.version } }
}

/** Blanks purged entries in the mirror. @returns the addresses of the other entries that it has */
async function withoutPurged(
  { place, index, scan }: MirrorPass,
  key: string,
  rows: SessionRows | undefined,
): Promise<SequenceRanges> {
  const held = rangesIn(index, key)
  const purged = rows?.cold.purged ?? {}
  if (isNoRange(commonRanges(held, purged))) return held
  // The entries were purged by a page, or by a worker while another one, which has died since, had the file open.
  for (const name of index.files)
    if ((await scan(name))?.sessions.has(key)) await blankPurged(place.folder, name, { key, purged })
  return withoutRanges(held, purged)
}

/**
 * Gives a session a new local number when its entries can't all be read and the mirror has all of them. Otherwise such
 * a session is left as it is.
 */
async function openSession(
  { place: { backend }, isReplaced, living }: MirrorPass,
  key: string,
  rows: SessionRows | undefined,
  held: SequenceRanges,
): Promise<OpenSession | Pick<ReconciledSession, 'left'>> {
  const stored = withoutRanges(rangesInDatabase(rows), rows?.cold.purged ?? {})
  // A database that was just created has only the restored entries, which can be read.
  if (rows === undefined || isReplaced || (await isWhole(backend, rows))) return { rows, former: undefined, stored }
  const { hot } = rows
  const isHeld = isNoRange(withoutRanges(stored, joinRanges(held, rangesInFiles(living.values(), key))))
  // The session keeps its number while it has drafts, which would be lost with the old number.
  const isFree = isHeld && (await backend.listDrafts()).every(({ session }) => session !== hot.session)
  if (isFree && (await restartSession(backend, rows)))
    return { rows: await backend.loadSession(key), former: hot, stored }
  // If the session changed in the meantime, the next comparison handles it.
  const now = isHeld ? undefined : (await backend.loadSession(key))?.hot
  const isUnchanged = now?.session === hot.session && now.version === hot.version
  return { left: isUnchanged ? [{ key, reason: 'the mirror lacks it' }] : [] }
}

async function refill(
  pass: MirrorPass,
  key: string,
  { rows, former, stored }: OpenSession,
  held: SequenceRanges,
): Promise<{ readonly rows: SessionRows | undefined } & Pick<ReconciledSession, 'added' | 'lost' | 'left'>> {
  const {
    place: { backend, folder, store, sealing },
    signal,
    living,
    isReplaced,
  } = pass
  // Of a living worker's file, only entries are used that the database once had: others may belong to a pending commit.
  const alive = commonRanges(rangesInFiles(living.values(), key), rows?.cold.lost ?? {})
  const found = joinRanges(withoutRanges(held, rangesInDatabase(rows)), alive)
  const missing = former === undefined ? found : commonRanges(found, stored)
  // A session that existed at the start and is missing now was erased in the meantime.
  if (isNoRange(missing) || (rows === undefined && pass.versions.has(key))) return { rows, added: 0, lost: 0, left: [] }
  const files = await filesWith([...pass.index.files, ...(isNoRange(alive) ? [] : living.keys())], key, pass)
  const hot = rows?.hot
  const isRepeated: RefillSession['isRepeated'] = async (id, addresses) => {
    // All entries of a session with a new number were stored, so that none of them belongs to a call that was repeated.
    if (hot === undefined || former !== undefined) return false
    const done = hot.recent.find((one) => one.id === id) ?? (await backend.findOperation(hot.session, id))
    return done !== undefined && !addresses.some(({ w, s }) => done.made?.w === w && done.made.s === s)
  }
  const result = await refillSession(store, {
    key,
    files,
    missing,
    isErased: (session) => isErased(pass.index, key, session),
    isRepeated,
    signal,
    sealing,
  })
  for (const { name, frame } of result.repeated) {
    await blankInFile(folder, name, [frame])
    pass.index = withoutFrame(pass.index, key, frame)
  }
  const { added } = result
  const lost = isReplaced || former !== undefined ? added : Math.max(0, added - result.unconfirmed)
  const after = await backend.loadSession(key)
  if (former !== undefined && after !== undefined && isNoRange(after.cold.lost ?? {}))
    await eraseOldRows(backend, former.session)
  return { rows: after, added, lost, left: result.left.map((reason) => ({ key, reason })) }
}

interface FileWithSession {
  readonly name: string
  readonly file: Blob
  readonly scanned: ScannedFile
}

async function filesWith(
  names: readonly string[],
  key: string,
  { place: { folder }, scan }: MirrorPass,
): Promise<readonly FileWithSession[]> {
  const found: FileWithSession[] = []
  for (const name of names) {
    const scanned = await scan(name)
    const file = scanned?.sessions.has(key) ? await folder.read(name) : undefined
    if (scanned !== undefined && file !== undefined) found.push({ name, file, scanned })
  }
  return found
}
