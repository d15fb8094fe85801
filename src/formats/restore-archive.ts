import { isSessionError, SessionError } from '../contract/errors.ts'
import type { ImportReport, JobProgress } from '../contract/job.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { createBreather } from '../pacing/breather.ts'
import { manifestPath } from './archive/manifest.ts'
import { type ArchiveFile, isCollectionPath, isSessionPath, openArchive } from './archive/open-archive.ts'
import { restoreBlob } from './archive/restore-blob.ts'
import { restoreCollection } from './archive/restore-collection.ts'
import { checkSessionFile, entryBatches } from './archive/session-file.ts'
import { storeArchived } from './archive/store-archived.ts'
import { abortError } from './byte-source.ts'
import { heldLimits } from './create-size-guard.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { createSkippedLines } from './skipped-lines.ts'

export type RestoreStore = Pick<
  SessionStore,
  'merge' | 'getMeta' | 'resolveSessionKey' | 'purge' | 'usage' | 'delete' | 'getBlob' | 'putBlob' | 'writeRows'
>

export interface RestoreArchiveOptions {
  readonly signal?: AbortSignal
  /** The maximum part of one session in memory; a larger session is read twice. Default: {@link heldLimits}. */
  readonly held?: typeof heldLimits
  /** Called after each file of the archive, and while entries are stored. */
  readonly onProgress?: (progress: JobProgress) => void
}

/** The result of a restore. Entries are raw ones, including those about other entries. */
export interface RestoreReport extends ImportReport {
  /** The number of new blobs. */
  readonly blobs: number
  /** The number of new rows of collections. */
  readonly rows: number
}

const isBlobPath = /^blobs\/([0-9a-f]{64})$/

/** What makes one file of an archive unusable, and not the archive or the store. */
const fileErrors = ['InvalidInput', 'ChecksumMismatch', 'TooLarge', 'StorageUnavailable']

/**
 * Restores an archive of {@link exportArchive} by merging: existing entries stay as they are, other sessions are not
 * changed, and doing it again adds nothing. A row of a collection is restored where there is none under its key. A session is restored completely or not at all: a file that is damaged,
 * incomplete or does not match the manifest is reported and left out. All others are restored, even from an incomplete
 * archive. A session that was deleted here since stays deleted, and is reported.
 *
 * @throws InvalidInput when it is not such an archive; VersionConflict when newer code wrote it (nothing is restored
 * then); Aborted: sessions that were stored stay, and restoring again adds the others
 */
export async function restoreArchive(
  store: RestoreStore,
  archive: Blob,
  options: RestoreArchiveOptions = {},
): Promise<RestoreReport> {
  return oneAtATime('keepsession:import:archive', options.signal, () => run(store, archive, options))
}

async function run(
  store: RestoreStore,
  archive: Blob,
  { signal, onProgress, held = heldLimits }: RestoreArchiveOptions,
): Promise<RestoreReport> {
  const breathe = createBreather()
  const skipped = createSkippedLines()
  const skip = (path: string, reason: string, line = 0): void => skipped.add(line, reason, path)
  const { files, manifest } = await openArchive(archive, signal, skip)
  const listed = new Map(manifest?.sessions.map((session) => [session.path, session]))
  const collections = new Map(manifest?.collections?.map(({ path, sha256 }) => [path, sha256]))
  const types = new Map(manifest?.blobs.map(({ path, type = '' }) => [path, type]))
  const seen = new Set<string>()
  /** The aliases of each session that is restored. */
  const restored = new Map<string, readonly string[]>()
  let readBytes = 0
  let [added, known, blobs, rows] = [0, 0, 0, 0]
  const report = (): void =>
    onProgress?.({
      readBytes: Math.min(readBytes, archive.size),
      totalBytes: archive.size,
      entries: added + known,
      skipped: skipped.count,
    })

  async function restoreSession({ path, bytes, isReadAgain }: ArchiveFile): Promise<void> {
    const sha256 = listed.get(path)?.sha256
    const session = await checkSessionFile(bytes(), {
      breathe,
      signal,
      held,
      ...(sha256 === undefined ? {} : { sha256 }),
    })
    const { key, aliases, entries } = session
    if (restored.has(key)) return skip(path, `session ${JSON.stringify(key)} was in the archive before`)
    if (entries === undefined && !isReadAgain)
      throw new SessionError(
        'TooLarge',
        'it is too large for the memory, and in an incomplete archive it can be read only once',
      )
    const batches = entries === undefined ? entryBatches(bytes(), signal) : [entries]
    const isStored = await storeArchived(store, session, batches, {
      signal,
      skip: (reason, line) => skip(path, reason, line),
      leaveDeleted: () => skipped.addDeleted(key),
      onMerged: (result) => {
        added += result.added
        known += result.known
        report()
      },
    })
    if (isStored) restored.set(key, aliases)
  }

  async function restoreFile(file: ArchiveFile): Promise<void> {
    const { path, bytes } = file
    if (path === manifestPath || path === '' || path.endsWith('/')) return
    if (seen.has(path)) return skip(path, 'it is in the archive twice; the first one was restored')
    const hash = isBlobPath.exec(path)?.[1]
    const isCollection = isCollectionPath(path)
    if (hash === undefined && !isCollection && !isSessionPath(path))
      return skip(path, 'it does not belong to an archive')
    const inManifest: ReadonlyMap<string, unknown> = isCollection ? collections : hash === undefined ? listed : types
    if (manifest !== undefined && !inManifest.has(path)) return skip(path, 'it is not in the manifest')
    if (isCollection) {
      const sha256 = collections.get(path)
      rows += await restoreCollection(store, file, { signal, sha256, skip: (reason) => skip(path, reason) })
      return
    }
    if (hash === undefined) return restoreSession(file)
    if (await restoreBlob(store, { hash, type: types.get(path) ?? '', bytes }, breathe)) blobs += 1
  }

  for await (const file of files) {
    if (signal?.aborted) throw abortError()
    await restoreFile(file).catch((error: unknown) => {
      if (!isSessionError(error) || !fileErrors.includes(error.name)) throw error
      skipped.addError(error, file.path)
    })
    seen.add(file.path)
    readBytes = Math.max(readBytes, file.end)
    report()
  }
  for (const path of [...listed.keys(), ...types.keys(), ...collections.keys()])
    if (!seen.has(path)) skip(path, 'it is in the manifest, but not in the archive')
  for await (const reason of lostAliases(store, restored)) skip('', reason)
  readBytes = archive.size
  report()
  return { keys: [...restored.keys()], added, known, blobs, rows, ...skipped.report() }
}

/** Says of each alias that leads to another session here why it does not lead to its own. */
async function* lostAliases(
  store: RestoreStore,
  sessions: ReadonlyMap<string, readonly string[]>,
): AsyncGenerator<string, void, undefined> {
  for (const [key, aliases] of sessions) {
    for (const alias of aliases) {
      const owner = await store.resolveSessionKey(alias)
      if (owner !== key)
        yield `alias ${JSON.stringify(alias)} of session ${JSON.stringify(key)} leads to ${JSON.stringify(owner)} here`
    }
  }
}
