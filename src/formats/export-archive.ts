import { SessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { namedBlobs } from '../domain/named-blobs.ts'
import { pushAll } from '../domain/push-all.ts'
import { createSha256 } from '../domain/sha256.ts'
import { collectionLines } from './archive/collection-file.ts'
import {
  type ArchivedBlob,
  type ArchivedCollection,
  type ArchivedSession,
  archiveFormat,
  archiveVersion,
  blobPath,
  type Manifest,
  manifestPath,
} from './archive/manifest.ts'
import { type ArchivedLog, inClockOrder, sessionLines } from './archive/session-file.ts'
import { abortError } from './byte-source.ts'
import { createExportBreather } from './export-breather.ts'
import type { ExportProgress } from './export-sessions.ts'
import { exportedKeys } from './exported-keys.ts'
import { createFileNamer } from './file-names.ts'
import { readEntries } from './read-log-entries.ts'
import { createTextBlob } from './text-blob.ts'
import { type PackedFile, zipBytes } from './zip-files.ts'

export type ArchivedStore = Pick<
  SessionStore,
  'changes' | 'getMeta' | 'resolveSessionKey' | 'listSessions' | 'getBlob' | 'listCollections' | 'listRows'
>

export interface ExportArchiveOptions {
  /**
   * Keys or aliases. A deleted session that is named is archived, and restored as a deleted one. Default: all sessions
   * that are not deleted, and all collections.
   */
  readonly keys?: readonly string[]
  readonly signal?: AbortSignal
  /** Called after each session, and at times within a long one, which is not counted yet. */
  readonly onProgress?: (progress: ExportProgress) => void
}

/** Progress within a session is reported after this many lines. */
const linesPerProgress = 4096

/**
 * Archives sessions completely: every raw entry unchanged (including branches, checkpoints, metadata, edits and
 * tombstones), the aliases that lead to them, and the blobs that they name. It yields the bytes of a zip as they are
 * produced, with one session and one blob in memory at a time. The same sessions give the same bytes on every device.
 * Replies that are still streamed are left out.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted; TooLarge when it is more than a zip can hold
 */
export function exportArchive(
  store: ArchivedStore,
  options: ExportArchiveOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  return zipBytes(archiveFiles(store, options), options.signal)
}

async function* archiveFiles(
  store: ArchivedStore,
  { keys: asked, signal, onProgress }: ExportArchiveOptions,
): AsyncGenerator<PackedFile, void, undefined> {
  const breathe = createExportBreather(signal)
  const sessions: ArchivedSession[] = []
  const blobs: ArchivedBlob[] = []
  const tried = new Set<string>()
  const encoder = new TextEncoder()
  const listed = await listedAliases(store, await exportedKeys(store, asked), asked !== undefined)
  const keys = await ownersFirst(store, listed)
  const nameOf = createFileNamer()
  const names = new Map([...keys].sort((a, b) => (a < b ? -1 : 1)).map((key) => [key, nameOf(key)]))
  let bytes = 0
  for (const [i, key] of keys.entries()) {
    if (signal?.aborted) throw abortError('export')
    if (asked === undefined) {
      const meta = await store.getMeta(key)
      // Deleted since the list was read.
      if (meta === undefined || meta.deletedAt !== undefined) continue
    }
    const log: ArchivedLog = {
      key,
      aliases: await ownAliases(store, key, listed.get(key)!),
      entries: inClockOrder(await readEntries(store, key, signal)),
    }
    const text = createTextBlob('application/jsonl')
    const hash = createSha256()
    const named = new Set(log.entries.flatMap((entry) => [...namedBlobs(entry)]))
    let lines = 0
    let written = 0
    for (const line of sessionLines(log)) {
      const encoded = encoder.encode(line)
      text.write(line)
      hash.update(encoded)
      written += encoded.length
      if (++lines % linesPerProgress === 0) {
        onProgress?.({ sessions: i, totalSessions: keys.length, bytes: bytes + written })
        if (signal?.aborted) throw abortError('export')
      }
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    // Blobs come first, so that an interrupted restore leaves no entry that names a missing blob.
    for (const name of named) {
      const blob = tried.has(name) ? undefined : await store.getBlob(name)
      tried.add(name)
      if (blob === undefined) continue
      blobs.push({ path: blobPath(name), bytes: blob.size, ...(blob.type === '' ? {} : { type: blob.type }) })
      yield { path: blobPath(name), blob, isPacked: true }
    }
    const path = `sessions/${names.get(key)!}.jsonl`
    const blob = text.blob()
    sessions.push({ path, key, entries: log.entries.length, sha256: hash.hex() })
    yield { path, blob }
    bytes += blob.size
    onProgress?.({ sessions: i + 1, totalSessions: keys.length, bytes })
  }
  const collections: ArchivedCollection[] = []
  if (asked === undefined) yield* collectionFiles(store, signal, collections)
  const counts = {
    sessions: sessions.length,
    entries: sessions.reduce((sum, { entries }) => sum + entries, 0),
    blobs: blobs.length,
  }
  const manifest: Manifest = {
    format: archiveFormat,
    version: archiveVersion,
    counts,
    sessions,
    blobs,
    ...(collections.length > 0 && { collections }),
  }
  yield { path: manifestPath, blob: new Blob([`${JSON.stringify(manifest, null, 1)}\n`], { type: 'application/json' }) }
}

/** The files of all collections. @param written - receives what a manifest says of each */
async function* collectionFiles(
  store: ArchivedStore,
  signal: AbortSignal | undefined,
  written: ArchivedCollection[],
): AsyncGenerator<PackedFile, void, undefined> {
  const encoder = new TextEncoder()
  const breathe = createExportBreather(signal)
  const nameOf = createFileNamer()
  for (const { name } of await store.listCollections()) {
    const text = createTextBlob('application/jsonl')
    const hash = createSha256()
    const lines = collectionLines(store, name, signal)
    let line = await lines.next()
    for (; line.done !== true; line = await lines.next()) {
      text.write(line.value)
      hash.update(encoder.encode(line.value))
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    const path = `collections/${nameOf(name)}.jsonl`
    written.push({ path, name, rows: line.value.rows, sha256: hash.hex() })
    yield { path, blob: text.blob() }
  }
}

/**
 * The sessions, each with the aliases that it lists. Sessions whose history was moved to another one are left out,
 * because their keys lead there.
 *
 * @throws SessionNotFound for a requested session
 */
async function listedAliases(
  store: ArchivedStore,
  keys: readonly string[],
  wereAsked: boolean,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const listed = new Map<string, readonly string[]>()
  for (const key of keys) {
    if ((await store.resolveSessionKey(key)) !== key) continue
    const meta = await store.getMeta(key)
    if (meta !== undefined) listed.set(key, meta.aliases)
    else if (wereAsked)
      throw new SessionError(
        'SessionNotFound',
        `There is no session "${key}" to export. See listSessions() for the existing sessions.`,
      )
  }
  return listed
}

/** The aliases of a session that lead to it. */
async function ownAliases(store: ArchivedStore, key: string, aliases: readonly string[]): Promise<readonly string[]> {
  const own: string[] = []
  for (const alias of aliases) if (alias !== key && (await store.resolveSessionKey(alias)) === key) own.push(alias)
  return own.sort()
}

/**
 * Sorts a session that owns an alias before those that only list it, so that it owns the alias again when all of them
 * are restored: an alias belongs to the first session that lists it. Otherwise sorts by key.
 */
async function ownersFirst(
  store: ArchivedStore,
  listed: ReadonlyMap<string, readonly string[]>,
): Promise<readonly string[]> {
  const sorted = new Set<string>()
  const begun = new Set<string>()
  const rest = [...listed.keys()].sort((a, b) => (a < b ? 1 : -1))
  // With a stack, because a chain of owners may be long.
  while (rest.length > 0) {
    const key = rest.at(-1)!
    const owners: string[] = []
    if (!begun.has(key)) for (const alias of listed.get(key)!) owners.push(await store.resolveSessionKey(alias))
    begun.add(key)
    const missing = owners.filter((owner) => listed.has(owner) && !begun.has(owner))
    if (missing.length > 0) pushAll(rest, missing)
    else {
      rest.pop()
      sorted.add(key)
    }
  }
  return [...sorted]
}
