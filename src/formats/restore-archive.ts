import { isSessionError, SessionError } from '../contract/errors.ts'
import type { ImportReport, JobProgress } from '../contract/job.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { createSha256 } from '../domain/sha256.ts'
import { createBreather } from '../pacing/breather.ts'
import { type Manifest, manifestPath, parseManifest } from './archive/manifest.ts'
import { checkSessionFile, entryBatches } from './archive/session-file.ts'
import { storeArchived } from './archive/store-archived.ts'
import { abortError, type ByteSource } from './byte-source.ts'
import { heldLimits } from './create-size-guard.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { readSmallText } from './read-small-text.ts'
import { walkFiles } from './session-files.ts'
import { createSkippedLines } from './skipped-lines.ts'
import { readZip, type ZipEntry } from './zip-entries.ts'

export type RestoreStore = Pick<
  SessionStore,
  'merge' | 'getMeta' | 'resolveSessionKey' | 'purge' | 'usage' | 'delete' | 'getBlob' | 'putBlob'
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
}

/** A file of the archive. */
interface Member {
  readonly path: string
  /** Bytes of the archive up to its end, as far as that is known. */
  readonly end: number
  /** Its content. In an incomplete archive it can be read only once. */
  readonly bytes: () => ByteSource
  readonly isReadAgain: boolean
}

/** The maximum sizes of a blob and of a manifest, which are kept in memory. */
const heldBytes = 1024 * 1024 * 1024
const manifestBytes = 64 * 1024 * 1024

const isBlobPath = /^blobs\/([0-9a-f]{64})$/
const isSessionPath = /^sessions\/[^/]+\.jsonl$/

/**
 * Restores an archive of {@link exportArchive} by merging: existing entries stay as they are, other sessions are not
 * changed, and doing it again adds nothing. A session is restored completely or not at all: a file that is damaged,
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
  const { members, manifest } = await open(archive, signal, skip)
  const listed = new Map(manifest?.sessions.map((session) => [session.path, session]))
  const types = new Map(manifest?.blobs.map(({ path, type = '' }) => [path, type]))
  const seen = new Set<string>()
  const restored = new Map<string, readonly string[]>()
  let readBytes = 0
  let [added, known, blobs] = [0, 0, 0]
  const report = (): void =>
    onProgress?.({
      readBytes: Math.min(readBytes, archive.size),
      totalBytes: archive.size,
      entries: added + known,
      skipped: skipped.count,
    })

  async function takeSession({ path, bytes, isReadAgain }: Member): Promise<void> {
    const said = listed.get(path)
    if (manifest !== undefined && said === undefined) return skip(path, 'it is not in the manifest')
    const session = await checkSessionFile(bytes(), {
      breathe,
      signal,
      held,
      ...(said === undefined ? {} : { sha256: said.sha256 }),
    })
    const { key, aliases, entries } = session
    if (restored.has(key)) return skip(path, `session ${JSON.stringify(key)} was in the archive before`)
    if (entries === undefined && !isReadAgain)
      throw new SessionError(
        'TooLarge',
        'it is too large for the memory, and in an incomplete archive it can be read only once',
      )
    const stored = await storeArchived(
      store,
      session,
      entries === undefined ? entryBatches(bytes(), signal) : [entries],
      {
        signal,
        skip: (reason, line) => skip(path, reason, line),
        onMerged: (result) => {
          added += result.added
          known += result.known
          report()
        },
      },
    )
    if (stored) restored.set(key, aliases)
  }

  async function takeBlob({ path, bytes }: Member, hash: string): Promise<void> {
    if (manifest !== undefined && !types.has(path)) return skip(path, 'it is not in the manifest')
    if ((await store.getBlob(hash)) !== undefined) return
    const parts: Uint8Array<ArrayBuffer>[] = []
    const digest = createSha256()
    let length = 0
    for await (const piece of bytes() as AsyncIterable<Uint8Array>) {
      length += piece.length
      if (length > heldBytes) throw new SessionError('TooLarge', `it has over ${heldBytes / 1024 / 1024} MiB`)
      parts.push(piece.slice())
      digest.update(piece)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    if (digest.hex() !== hash)
      throw new SessionError('ChecksumMismatch', 'its content does not match the checksum in its name')
    await store.putBlob(new Blob(parts, { type: types.get(path) ?? '' }))
    blobs += 1
  }

  for await (const member of members) {
    if (signal?.aborted) throw abortError()
    const { path } = member
    const hash = isBlobPath.exec(path)?.[1]
    try {
      if (path === manifestPath || path === '' || path.endsWith('/')) continue
      else if (seen.has(path)) skip(path, 'it is in the archive twice; the first one was restored')
      else if (isSessionPath.test(path)) await takeSession(member)
      else if (hash !== undefined) await takeBlob(member, hash)
      else skip(path, 'it does not belong to an archive')
    } catch (error) {
      if (
        !isSessionError(error) ||
        !['InvalidInput', 'ChecksumMismatch', 'TooLarge', 'StorageUnavailable'].includes(error.name)
      )
        throw error
      skipped.addError(error, path)
    }
    seen.add(path)
    readBytes = Math.max(readBytes, member.end)
    report()
  }
  for (const path of [...listed.keys(), ...types.keys()])
    if (!seen.has(path)) skip(path, 'it is in the manifest, but not in the archive')
  for (const [key, aliases] of restored) {
    for (const alias of aliases) {
      const owner = await store.resolveSessionKey(alias)
      if (owner !== key)
        skip(
          '',
          `alias ${JSON.stringify(alias)} of session ${JSON.stringify(key)} leads to ${JSON.stringify(owner)} here`,
        )
    }
  }
  readBytes = archive.size
  report()
  return { keys: [...restored.keys()], added, known, blobs, skipped: skipped.list(), skippedCount: skipped.count }
}

interface OpenedArchive {
  readonly members: AsyncIterable<Member>
  /** Absent when the archive is incomplete, or the manifest can't be read: then each file is checked by itself. */
  readonly manifest?: Manifest
}

async function open(
  archive: Blob,
  signal: AbortSignal | undefined,
  skip: (path: string, reason: string) => void,
): Promise<OpenedArchive> {
  let found: readonly ZipEntry[]
  try {
    found = await readZip(archive)
  } catch (error) {
    if (!isSessionError(error, 'InvalidInput')) throw error
    const head = new Uint8Array(await archive.slice(0, 4).arrayBuffer())
    if (new TextDecoder('latin1').decode(head) !== 'PK\u0003\u0004') throw refusal('it is not a zip file')
    skip(
      '',
      `the archive is incomplete (${error.message}), and the missing part is unknown: complete sessions were restored`,
    )
    return { members: fromStart(archive, signal) }
  }
  // If the archive was unpacked and packed again, its files may be in a folder.
  const at = found.find(({ path }) => path === manifestPath || path.endsWith(`/${manifestPath}`))
  const prefix = at?.path.slice(0, -manifestPath.length) ?? ''
  const members = found.map(
    ({ path, end, read }): Member => ({
      path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
      end,
      bytes: () => read(signal),
      isReadAgain: true,
    }),
  )
  if (at === undefined) {
    if (!members.some(({ path }) => isSessionPath.test(path))) throw refusal('it contains no manifest and no sessions')
    skip(manifestPath, 'it is not in the archive: complete sessions were restored')
    return { members: each(members) }
  }
  try {
    return { members: each(members), manifest: parseManifest(await readSmallText(at.read(signal), manifestBytes)) }
  } catch (error) {
    if (!isSessionError(error, 'InvalidInput') && !isSessionError(error, 'TooLarge')) throw error
    if (!members.some(({ path }) => isSessionPath.test(path)))
      throw refusal(`its manifest can't be read: ${error.message}`)
    skip(manifestPath, `${error.message}: complete sessions were restored`)
    return { members: each(members) }
  }
}

async function* each(members: readonly Member[]): AsyncGenerator<Member, void, undefined> {
  yield* members
}

async function* fromStart(archive: Blob, signal: AbortSignal | undefined): AsyncGenerator<Member, void, undefined> {
  let read = 0
  const files = walkFiles([{ path: '', blob: archive }], {
    isWanted: () => true,
    signal,
    onRead: (bytes) => void (read += bytes),
  })
  for (;;) {
    // The archive ends here.
    const next = await files.next().catch((error: unknown) => {
      if (!isSessionError(error, 'InvalidInput')) throw error
      return { done: true, value: undefined } as const
    })
    if (next.done === true) return
    const { path, bytes } = next.value
    yield { path, bytes: () => bytes, end: read, isReadAgain: false }
  }
}

function refusal(found: string): SessionError {
  return new SessionError(
    'InvalidInput',
    `This is not an archive of keepsession: ${found}. Choose a file that was written by exporting an archive. Nothing was restored.`,
  )
}
