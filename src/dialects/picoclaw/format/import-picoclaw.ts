import { isSessionError } from '../../../contract/errors.ts'
import type { ImportReport, JobProgress, SourceFile } from '../../../contract/job.ts'
import { alreadyTaken } from '../../../formats/already-taken.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { parseSessionFile, type SessionFileName, sanitiseKey } from '../../../formats/file-names.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { readText, textLimit } from '../../../formats/read-text.ts'
import { type FoundFile, walkFiles } from '../../../formats/session-files.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { takeLines } from '../../../formats/take-lines.ts'
import { createBreather } from '../../../pacing/breather.ts'
import type { PicoClawSession } from './picoclaw-entries.ts'
import { type LegacySession, readLegacy } from './read-legacy-picoclaw.ts'
import { createLogReader } from './read-picoclaw-log.ts'
import type { PicoClawMeta } from './read-picoclaw-meta.ts'
import { readMetas, readOrSkip } from './read-picoclaw-metas.ts'
import { type PicoClawStore, type StoreSessionOptions, storeAliases, storeSession } from './store-picoclaw-session.ts'

export interface ImportPicoClawOptions {
  readonly signal?: AbortSignal
  /** Called after each piece of a file, and after each session. */
  readonly onProgress?: (progress: JobProgress) => void
}

/**
 * Imports the sessions of PicoClaw directories: `<name>.jsonl` with `<name>.meta.json`, and `<name>.json` of older
 * versions, as files or in zip archives. Each session keeps its PicoClaw key, history, summary, scope, aliases and
 * times. Messages that PicoClaw hides (`skip`) are hidden here and can be reclaimed. Files are read as streams, and
 * memory holds the entries of one session at a time.
 *
 * A log without metadata has its file's name as key, unless an alias in its metadata has that name too (`_` may have
 * been `:` or `/`). Of two sessions with one key, the first by path is imported. Importing the same files again adds
 * nothing, and files that have grown add what is new, identically on every device. Lines that can't be imported are
 * skipped and reported. A session that was deleted is restored.
 *
 * @throws InvalidInput when there is no session file or one can't be read; Aborted: sessions that were stored stay, and
 * another import adds the others
 */
export async function importPicoClaw(
  store: PicoClawStore,
  files: readonly SourceFile[],
  { signal, onProgress }: ImportPicoClawOptions = {},
): Promise<ImportReport> {
  return oneAtATime('keepsession:import:picoclaw', signal, () => run(store, files, signal, onProgress))
}

async function run(
  store: PicoClawStore,
  files: readonly SourceFile[],
  signal: AbortSignal | undefined,
  onProgress: ImportPicoClawOptions['onProgress'],
): Promise<ImportReport> {
  const breathe = createBreather()
  const skipped = createSkippedLines()
  const options: StoreSessionOptions = { store, skipped, breathe, signal }
  const totalBytes = sizeOf(files)
  let read = 0
  let added = 0
  let known = 0
  /** The file that each session came from. */
  const taken = new Map<string, string>()
  const stored = new Map<string, PicoClawMeta>()
  const report = (): void =>
    onProgress?.({ readBytes: Math.min(read, totalBytes), totalBytes, entries: added + known, skipped: skipped.count })

  async function take(session: PicoClawSession): Promise<void> {
    const { key, file, messages, meta } = session
    const other = taken.get(key)
    if (other !== undefined) return skipped.add(0, alreadyTaken(key, other), file)
    if (messages.length === 0 && meta === undefined) return skipped.add(0, 'it contains no message', file)
    taken.set(key, file)
    const result = await storeSession(session, options)
    if (result === undefined) return
    added += result.added
    known += result.known
    if (meta !== undefined) stored.set(key, meta)
    report()
  }

  // Archives are read twice, and their bytes count only once.
  const isWithoutArchive = files.every(({ path }) => !isArchivePath(path))
  const { names, metas } = await readMetas(
    files,
    signal,
    skipped,
    (bytes) => void (isWithoutArchive && (read += bytes)),
  )
  const logs = new Set([...names.values()].filter(({ kind }) => kind === 'log').map(({ stem }) => stem))

  async function takeLog({ path, bytes }: FoundFile, { stem, name }: SessionFileName): Promise<void> {
    const reader = createLogReader((line, reason) => skipped.add(line, reason, path))
    await takeLines(bytes, reader.take, { breathe, signal, onPiece: report })
    const meta = metas.get(stem)
    const { messages } = reader
    await take({ key: keyOf(name, meta), file: path, messages, ...(meta === undefined ? {} : { meta }) })
  }

  async function takeLegacy({ path, bytes }: FoundFile, { stem, name }: SessionFileName): Promise<void> {
    if (logs.has(stem)) return skipped.add(0, 'its session also has a log (.jsonl), which was imported', path)
    const text = await readText(bytes)
    if (text === undefined) return skipped.add(0, `it has more than ${textLimit / 1024 / 1024} MiB`, path)
    const session = readOrSkip(path, skipped, () => readLegacy(text, (reason) => skipped.add(0, reason, path)))
    if (session !== undefined) await take(legacySession(session, path, name, metas.get(stem)))
  }

  const onRead = (bytes: number): void => void (read += bytes)
  for await (const found of walkFiles(files, { isWanted: isLog, signal, onRead })) {
    const name = parseSessionFile(found.path)!
    const taking = name.kind === 'log' ? takeLog(found, name) : takeLegacy(found, name)
    await taking.catch((error: unknown) => {
      if (!isSessionError(error, 'TooLarge')) throw error
      skipped.addError(error, found.path)
    })
    if (signal?.aborted) throw abortError()
  }
  for (const [path, { name, stem }] of loneMetas(names)) {
    const meta = metas.get(stem)
    if (meta !== undefined) await take({ key: keyOf(name, meta), file: path, messages: [], meta })
  }
  // Aliases come last, so that a session gets its own key even when another session has that key as an alias.
  await storeAliases(stored, store, (key, reason) => skipped.add(0, reason, taken.get(key) as string))
  read = totalBytes
  report()
  return { keys: [...taken.keys()], added, known, ...skipped.report() }
}

const isArchivePath = (path: string): boolean => path === '' || /\.zip$/i.test(path)

const isLog = (path: string): boolean => ['log', 'legacy'].includes(parseSessionFile(path)?.kind ?? '')

/** Bytes of the files that are read. */
const sizeOf = (files: readonly SourceFile[]): number =>
  files
    .filter(({ path }) => parseSessionFile(path) !== undefined || isArchivePath(path))
    .reduce((sum, { blob }) => sum + blob.size, 0)

/** A session of the old format. Metadata next to it wins, except over a summary, and it hides nothing. */
function legacySession(
  { messages, key, ...said }: LegacySession,
  file: string,
  name: string,
  meta: PicoClawMeta | undefined,
): PicoClawSession {
  const { summary = '', aliases = [], ...more } = meta ?? {}
  return {
    key: key ?? keyOf(name, meta),
    file,
    messages,
    meta: { ...said, ...more, summary: said.summary || summary, aliases, skip: 0 },
  }
}

/** Metadata files without a log. */
function loneMetas(names: ReadonlyMap<string, SessionFileName>): (readonly [string, SessionFileName])[] {
  const logs = new Set([...names.values()].filter(({ kind }) => kind !== 'meta').map(({ stem }) => stem))
  return [...names].filter(([, { kind, stem }]) => kind === 'meta' && !logs.has(stem))
}

/**
 * The key in the metadata, otherwise an alias that PicoClaw writes as this file name, otherwise the file name itself:
 * nothing shows which of its `_` were `:` or `/`.
 */
function keyOf(name: string, meta: PicoClawMeta | undefined): string {
  return meta?.key ?? meta?.aliases.find((alias) => alias !== name && sanitiseKey(alias) === name) ?? name
}
