import { SessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { namedBlobs } from '../domain/named-blobs.ts'
import { pushAll } from '../domain/push-all.ts'
import { createSha256 } from '../domain/sha256.ts'
import { createBreather } from '../pacing/breather.ts'
import {
  type ArchivedBlob,
  type ArchivedSession,
  archiveFormat,
  archiveVersion,
  blobPath,
  type Manifest,
  manifestPath,
} from './archive/manifest.ts'
import { type ArchivedLog, inClockOrder, sessionLines } from './archive/session-file.ts'
import { abortError } from './byte-source.ts'
import type { ExportProgress } from './export-sessions.ts'
import { exportedKeys, listKeys } from './exported-keys.ts'
import { createFileNamer } from './file-names.ts'
import { readEntries } from './read-log-entries.ts'
import { createTextBlob } from './text-blob.ts'
import { type PackedFile, zipBytes } from './zip-files.ts'

export type ArchivedStore = Pick<SessionStore, 'changes' | 'getMeta' | 'resolveSessionKey' | 'listSessions' | 'getBlob'>

export interface ExportArchiveOptions {
  /** Keys or aliases. Default: all sessions, those in the trash too. */
  readonly keys?: readonly string[]
  readonly signal?: AbortSignal
  /** Called after each session, and now and then within a long one, which does not count yet. */
  readonly onProgress?: (progress: ExportProgress) => void
}

/** Lines of a session after which it is told how far that is. */
const linesPerProgress = 4096

/**
 * Archives sessions with everything that makes them: every raw entry as it is (so branches, checkpoints, metadata,
 * edits and tombstones too), the aliases that lead to them, and the blobs they name. As the bytes of a zip, as soon as
 * they are known; one session and one blob are held in memory at a time. The same sessions give the same bytes on every
 * device. Replies that are still being streamed stay out.
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
  const breathe = createBreather()
  const sessions: ArchivedSession[] = []
  const blobs: ArchivedBlob[] = []
  const tried = new Set<string>()
  const encoder = new TextEncoder()
  const found = [...(await exportedKeys(store, asked)), ...(asked === undefined ? await listKeys(store, true) : [])]
  const listed = await listedAliases(store, found, asked !== undefined)
  const keys = await ownersFirst(store, listed)
  const nameOf = createFileNamer()
  const names = new Map([...keys].sort((a, b) => (a < b ? -1 : 1)).map((key) => [key, nameOf(key)]))
  let bytes = 0
  for (const [i, key] of keys.entries()) {
    if (signal?.aborted) throw abortError('export')
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
      if (++lines % linesPerProgress === 0)
        onProgress?.({ sessions: i, totalSessions: keys.length, bytes: bytes + written })
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    // Blobs first: a restore that breaks off leaves no entry that names one that isn't there.
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
  const counts = {
    sessions: sessions.length,
    entries: sessions.reduce((sum, { entries }) => sum + entries, 0),
    blobs: blobs.length,
  }
  const manifest: Manifest = { format: archiveFormat, version: archiveVersion, counts, sessions, blobs }
  yield { path: manifestPath, blob: new Blob([`${JSON.stringify(manifest, null, 1)}\n`], { type: 'application/json' }) }
}

/**
 * The sessions, each with the aliases it lists. Sessions whose history moved to another one stay out; there is nothing
 * by which they could be read.
 *
 * @throws SessionNotFound for one that was asked for
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
        `There is no session "${key}" to export. listSessions() tells which there are.`,
      )
  }
  return listed
}

/** Those of a session's aliases that lead to it. */
async function ownAliases(store: ArchivedStore, key: string, aliases: readonly string[]): Promise<readonly string[]> {
  const own: string[] = []
  for (const alias of aliases) if (alias !== key && (await store.resolveSessionKey(alias)) === key) own.push(alias)
  return own.sort()
}

/**
 * Puts a session that owns an alias before those that only list it, so that it owns it again where all of them are
 * restored: the first to come keeps an alias. Otherwise by key.
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
