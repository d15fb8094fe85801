import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { ImportReport, JobProgress, SourceFile } from '../../../contract/job.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { parseSessionFile, type SessionFileName, sanitiseKey } from '../../../formats/file-names.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { readText, textLimit } from '../../../formats/read-text.ts'
import { type FoundFile, walkFiles } from '../../../formats/session-files.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { takeLines } from '../../../formats/take-lines.ts'
import { createBreather } from '../../../pacing/breather.ts'
import type { PicoClawSession } from './picoclaw-entries.ts'
import { readLegacy } from './read-legacy-picoclaw.ts'
import { createLogReader } from './read-picoclaw-log.ts'
import { type PicoClawMeta, readMeta } from './read-picoclaw-meta.ts'
import { type PicoClawStore, type StoreSessionOptions, storeAliases, storeSession } from './store-picoclaw-session.ts'

export interface ImportPicoClawOptions {
  readonly signal?: AbortSignal
  /** Called after each piece of a file, and after each session. */
  readonly onProgress?: (progress: JobProgress) => void
}

/**
 * Imports the sessions of PicoClaw directories: `<name>.jsonl` with `<name>.meta.json`, and `<name>.json` of the time
 * before, as files or in zip archives. Each comes in under its PicoClaw key with history, summary, scope, aliases and
 * times; what PicoClaw hides (`skip`) is hidden here and can be reclaimed. The files are read as streams, one session's
 * entries are held in memory at a time.
 *
 * A log without metadata has its file's name as key, unless an alias in its metadata has that name too (`_` may have
 * been `:` or `/`). Of two sessions with one key the first by path is taken. The same again adds nothing, what has
 * grown adds what is new, on every device alike. What can't be taken is skipped and reported. A session that was
 * deleted comes back.
 *
 * @throws InvalidInput when there is no session file at all or one can't be read; Aborted: sessions that were stored
 *   stay, and another import adds the others
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
  const totalBytes = files.reduce(
    (sum, { path, blob }) => sum + (parseSessionFile(path) !== undefined || isArchivePath(path) ? blob.size : 0),
    0,
  )
  let read = 0
  let added = 0
  let known = 0
  /** Which file each session came from. */
  const taken = new Map<string, string>()
  const stored = new Map<string, PicoClawMeta>()
  const report = (): void =>
    onProgress?.({ readBytes: Math.min(read, totalBytes), totalBytes, entries: added + known, skipped: skipped.count })

  async function take(session: PicoClawSession): Promise<void> {
    const { key, file, messages, meta } = session
    const other = taken.get(key)
    if (other !== undefined)
      return skipped.add(
        0,
        `session ${JSON.stringify(key)} was taken from ${other}; import this file by itself to add it there`,
        file,
      )
    if (messages.length === 0 && meta === undefined) return skipped.add(0, 'it holds no message', file)
    taken.set(key, file)
    const result = await storeSession(session, options)
    if (result === undefined) return
    added += result.added
    known += result.known
    if (meta !== undefined) stored.set(key, meta)
    report()
  }

  const names = new Map<string, SessionFileName>()
  const isWantedFirst = (path: string): boolean => {
    const name = parseSessionFile(path)
    if (name !== undefined) names.set(path, name)
    return name?.kind === 'meta'
  }
  const metas = new Map<string, PicoClawMeta | undefined>()
  // Archives are read twice, and counted once.
  const countFirst = (bytes: number): void => void (files.every(({ path }) => !isArchivePath(path)) && (read += bytes))
  for await (const { path, bytes } of walkFiles(files, { isWanted: isWantedFirst, signal, onRead: countFirst })) {
    const text = await readText(bytes)
    metas.set(
      names.get(path)!.stem,
      readWhole(path, () => readMeta(text ?? '', (reason) => skipped.add(0, reason, path))),
    )
  }
  if (names.size === 0)
    throw new SessionError(
      'InvalidInput',
      'There is no session of PicoClaw here: no .jsonl, .meta.json or .json file. Choose its sessions directory, or a zip of it.',
    )
  const logs = new Set([...names.values()].filter(({ kind }) => kind === 'log').map(({ stem }) => stem))

  function readWhole<T>(path: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!isSessionError(error)) throw error
      skipped.add(0, error.message, path)
      return undefined
    }
  }

  async function takeLog({ path, bytes }: FoundFile, { stem, name }: SessionFileName): Promise<void> {
    const reader = createLogReader((line, reason) => skipped.add(line, reason, path))
    await takeLines(bytes, reader.take, { breathe, signal, onPiece: report })
    const meta = metas.get(stem)
    await take({
      key: keyOf(name, meta),
      file: path,
      messages: reader.messages,
      ...(meta === undefined ? {} : { meta }),
    })
  }

  async function takeLegacy({ path, bytes }: FoundFile, { stem, name }: SessionFileName): Promise<void> {
    if (logs.has(stem)) return skipped.add(0, 'its session has a log of its own (.jsonl), which was taken', path)
    const text = await readText(bytes)
    if (text === undefined) return skipped.add(0, `it has more than ${textLimit / 1024 / 1024} MiB`, path)
    const session = readWhole(path, () => readLegacy(text, (reason) => skipped.add(0, reason, path)))
    if (session === undefined) return
    const { messages, key, ...said } = session
    const meta = metas.get(stem)
    const { summary, aliases: names = [], ...more } = meta ?? {}
    await take({
      key: key ?? keyOf(name, meta),
      file: path,
      messages,
      meta: { ...said, ...more, summary: said.summary || (summary ?? ''), aliases: names, skip: 0 },
    })
  }

  const isWanted = (path: string): boolean => ['log', 'legacy'].includes(parseSessionFile(path)?.kind ?? '')
  for await (const found of walkFiles(files, { isWanted, signal, onRead: (bytes) => void (read += bytes) })) {
    const name = parseSessionFile(found.path)!
    try {
      await (name.kind === 'log' ? takeLog(found, name) : takeLegacy(found, name))
    } catch (error) {
      if (!isSessionError(error, 'TooLarge')) throw error
      skipped.addError(error, found.path)
    }
    if (signal?.aborted) throw abortError()
  }
  for (const [path, { kind, stem, name }] of names) {
    const meta = metas.get(stem)
    const isAlone =
      kind === 'meta' && ![...names.values()].some((other) => other.stem === stem && other.kind !== 'meta')
    if (isAlone && meta !== undefined) await take({ key: keyOf(name, meta), file: path, messages: [], meta })
  }
  // Last, so that a session comes in under its own key also when another one has that among its aliases.
  await storeAliases(stored, store, (key, reason) => skipped.add(0, reason, taken.get(key) as string))
  read = totalBytes
  report()
  return { keys: [...taken.keys()], added, known, skipped: skipped.list(), skippedCount: skipped.count }
}

function isArchivePath(path: string): boolean {
  return path === '' || /\.zip$/i.test(path)
}

/**
 * The key that the metadata says, else an alias that gives this file name, else the file name: what was `:` or `/`
 * there can't be told.
 */
function keyOf(name: string, meta: PicoClawMeta | undefined): string {
  return meta?.key ?? meta?.aliases.find((alias) => alias !== name && sanitiseKey(alias) === name) ?? name
}
