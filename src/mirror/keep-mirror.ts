import type { MirrorReport } from '../contract/mirror.ts'
import { pushAll } from '../domain/push-all.ts'
import { abortError } from '../formats/byte-source.ts'
import { adoptFiles } from './adopt-files.ts'
import { indexNewFiles } from './index-new-files.ts'
import { refillBlobs } from './mirror-blobs.ts'
import { type IndexedSession, type MirrorIndex, writeIndex } from './mirror-index.ts'
import { parseMirrorName } from './mirror-names.ts'
import type { MirroredPlace } from './mirrored-place.ts'
import { type MirrorPass, reconcileSession } from './reconcile-session.ts'
import { inRefillOrder } from './refill-order.ts'
import { type KeptRows, keepRows } from './rows/keep-rows.ts'
import type { RowsIndex } from './rows/rows-index.ts'
import { eraseFormerRows } from './salvage-session.ts'
import { createScanCache } from './scan-cache.ts'
import { tidyMirror } from './tidy-mirror.ts'

export interface KeepOptions {
  readonly signal?: AbortSignal
  /**
   * Keys of sessions of which a part could not be read. Sessions that changed since the last time are compared anyway.
   */
  readonly damaged?: readonly string[]
}

/**
 * Compares the database with its mirror and adds to each what only the other has. This is needed after the browser
 * deleted the database or lost its end, and after a time without a mirror. Only what is new since the last comparison
 * is read, unless a loss is found: then everything is. A session that can't be read completely is restored from the
 * mirror, if that has all of it. The files of living workers are used only after these workers have ended, unless the
 * files belong to another database, or the database once had their entries.
 *
 * @throws Aborted
 */
export async function keepMirror(
  place: MirroredPlace,
  { signal, damaged = [] }: KeepOptions = {},
): Promise<MirrorReport> {
  const { backend, folder, epoch, own } = place
  // The sessions come first: the files, which are read later, name every session that was erased by then.
  const stored = await backend.listSessions()
  await eraseFormerRows(backend, stored)
  const versions = new Map(stored.map(({ key, version }) => [key, version]))
  const files = new Set(await folder.list())
  const names = [...files].filter((name) => parseMirrorName(name) !== undefined && name !== own)
  const cache = createScanCache(folder, place.sealing, signal)
  const { index, hasNewRows, living, left: unread } = await indexNewFiles(place, names, stored, cache, signal)
  const left = [...unread]
  const isReplaced = names.some((name) => parseMirrorName(name)?.epoch !== epoch)
  const pass: MirrorPass = { place, signal, scan: cache.scan, living, files, versions, isReplaced, index }

  const all = new Set([...Object.keys(index.sessions), ...versions.keys()])
  const changed = [...all].filter((key) => {
    const known = index.sessions[key]
    return known === undefined || known.version === 0 || known.version !== versions.get(key) || damaged.includes(key)
  })
  const refilled: string[] = []
  let [entries, lost, copied] = [0, 0, 0]
  const checked: Record<string, IndexedSession> = {}
  // The set may grow during the iteration. The loop then also visits the added keys.
  const order = new Set(inRefillOrder(changed, cache.scans.values()))
  for (const key of order) {
    if (signal?.aborted) throw abortError()
    const session = await reconcileSession(pass, key)
    entries += session.added
    lost += session.lost
    copied += session.copied
    pushAll(left, session.left)
    if (session.added > 0) refilled.push(key)
    if (session.checked !== undefined) checked[key] = session.checked
    // A browser that lost entries of this session may have lost some of sessions that nobody has written to since.
    if (lost > 0 && !isReplaced && order.size < all.size) for (const one of all) order.add(one)
  }
  if (!place.mirror.isOn()) left.push({ key: '', reason: 'There was no room for everything that the mirror lacks.' })
  // A file that could not be read, or is in use, may name any blob.
  const isComplete = left.length === 0 && names.every((name) => pass.index.files.includes(name))
  const blobs = await refillBlobs(place, isComplete)
  const rows = await keepCollections(pass, hasNewRows, unread.length === 0)
  for (const reason of rows.left) left.push({ key: '', reason })
  const adopted = await adoptFiles(folder, pass.index, epoch)
  const kept: MirrorIndex = { ...adopted, epoch, sessions: { ...adopted.sessions, ...checked }, rows: rows.index }
  await writeIndex(folder, kept)
  // Without room for a joined file, the single files stay in use.
  const { space, isCompared } = rows
  await tidyMirror(folder, kept, place.boot, place.rows && { place: place.rows, space, isCompared, signal }).catch(
    () => undefined,
  )
  return { refilled, entries, lost, copied, blobs, rows: rows.restored, left }
}

/** Compares the rows of collections. A failure must not keep sessions from being restored. @throws Aborted */
async function keepCollections(
  { place, index, scan, signal }: MirrorPass,
  hasNew: boolean,
  isComplete: boolean,
): Promise<KeptRows> {
  if (place.rows === undefined) return { index: index.rows, restored: 0, left: [], isCompared: false }
  try {
    const { files: names, rows } = index
    return await keepRows({ place, rows: place.rows, names, index: rows, hasNew, isComplete, scan, signal })
  } catch (error) {
    if (signal?.aborted) throw error
    const reason = `The rows of collections can't be compared with the mirror: ${(error as Error).message}`
    const rows: RowsIndex = hasNew ? { ...index.rows, hasOld: true } : index.rows
    return { index: rows, restored: 0, left: [reason], isCompared: false }
  }
}
