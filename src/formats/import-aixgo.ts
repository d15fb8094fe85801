import type { Entry } from '../contract/entry.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import type { ImportReport, JobProgress, SourceFile } from '../contract/job.ts'
import { aixgoFile, type AixgoFile } from './aixgo/file-kind.ts'
import { type AixgoCheckpoint, checkpointEntry, readCheckpoint } from './aixgo/checkpoint.ts'
import { type AixgoMeta, readIndex } from './aixgo/read-index.ts'
import { createLogReader } from './aixgo/read-log.ts'
import { createBreather } from '../pacing/breather.ts'
import { abortError } from './byte-source.ts'
import { takeLines } from './take-lines.ts'
import { metaEntry } from './meta-entry.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { readSmallText } from './read-small-text.ts'
import { type FoundFile, walkFiles } from './session-files.ts'
import { isPlainId } from './plain-id.ts'
import { createSkippedLines, type SkippedLines } from './skipped-lines.ts'
import { type FileNode, storeTree, type TreeStore } from './store-tree.ts'
import { timeOf } from './time.ts'

export interface ImportDirectoryOptions {
  readonly signal?: AbortSignal
  /** Called after each piece of a file, and after each session. */
  readonly onProgress?: (progress: JobProgress) => void
}

/** Bytes of an index, and of a checkpoint. */
const wholeFileBytes = { index: 128 * 1024 * 1024, checkpoint: 16 * 1024 * 1024 }

/**
 * Imports Aixgo directories (`<agent>/sessions.json`, `<session>.jsonl`, `checkpoints/<id>.json`), as files or in zip archives, each session
 * as `aixgo:<id>` with its id as alias. Its entries are read along their parents: what a restore left behind becomes a branch, the line of
 * the index's `currentLeaf` is shown. Checkpoints whose checksum is right become checkpoints; others are reported, as lines that can't be taken.
 *
 * The same again adds nothing, what has grown adds what is new, on every device alike. A session that was deleted comes back.
 *
 * @throws InvalidInput when there is no session at all, or a file can't be read; Aborted: sessions that were stored stay
 */
export async function importAixgo(store: TreeStore, files: readonly SourceFile[], { signal, onProgress }: ImportDirectoryOptions = {}): Promise<ImportReport> {
  return oneAtATime('keepsession:import:aixgo', signal, () => run(store, files, signal, onProgress))
}

async function run(store: TreeStore, files: readonly SourceFile[], signal: AbortSignal | undefined, onProgress: ImportDirectoryOptions['onProgress']): Promise<ImportReport> {
  const breathe = createBreather()
  const skipped = createSkippedLines()
  const totalBytes = files.reduce((sum, { blob }) => sum + blob.size, 0)
  const { metas, checkpoints } = await readAside(files, signal, skipped)
  const taken = new Map<string, string>()
  const keys: string[] = []
  let [read, added, known] = [0, 0, 0]
  const report = (): void => onProgress?.({ readBytes: Math.min(read, totalBytes), totalBytes, entries: added + known, skipped: skipped.count })

  async function take(name: string, file: string, meta: AixgoMeta | undefined, directory: string, nodes: readonly FileNode[]): Promise<void> {
    const source = `aixgo:${name}`
    const other = taken.get(source)
    if (other !== undefined) return skipped.add(0, `session ${JSON.stringify(name)} was taken from ${other}; import this file by itself to add it there`, file)
    if (nodes.length === 0 && meta === undefined) return skipped.add(0, 'it holds no entry of Aixgo', file)
    taken.set(source, file)
    const { currentLeaf } = meta ?? {}
    const result = await storeTree({
      source, file, nodes,
      metas: metaEntries(source, name, meta, directory),
      ...(currentLeaf !== undefined && nodes.some(({ id }) => id === currentLeaf) ? { leaf: currentLeaf } : {}),
      about: (placeOf) => checkpointEntries(source, checkpoints.get(`${directory}\n${name}`) ?? [], nodes, placeOf, skipped),
    }, { store, skipped, breathe, signal })
    keys.push(result.key)
    added += result.added
    known += result.known
    report()
  }

  async function takeLog({ path, bytes }: FoundFile, { directory, name }: AixgoFile): Promise<void> {
    const reader = createLogReader((line, reason) => skipped.add(line, reason, path))
    await takeLines(bytes, reader.take, { breathe, signal, onPiece: report })
    await take(name, path, metas.get(directory)?.get(name), directory, reader.end())
  }

  let logs = 0
  for await (const found of walkFiles(files, { isWanted: (path) => aixgoFile(path)?.kind === 'log', signal, onRead: (bytes) => void (read += bytes) })) {
    logs += 1
    await takeLog(found, aixgoFile(found.path)!)
    if (signal?.aborted) throw abortError()
  }
  if (logs === 0 && metas.size === 0) throw new SessionError('InvalidInput', 'There is no session of Aixgo here: no sessions.json and no .jsonl file. Choose its sessions directory, or a zip of it.')
  for (const [directory, rows] of metas) for (const [name, meta] of rows) if (!taken.has(`aixgo:${name}`)) await take(name, directory === '' ? 'sessions.json' : `${directory}/sessions.json`, meta, directory, [])
  read = totalBytes
  report()
  return { keys, added, known, skipped: skipped.list(), skippedCount: skipped.count }
}

interface FoundCheckpoint {
  readonly path: string
  readonly checkpoint: AixgoCheckpoint
}

interface Aside {
  /** Metadata by directory and session. */
  readonly metas: ReadonlyMap<string, ReadonlyMap<string, AixgoMeta>>
  /** Checkpoints by directory and session. */
  readonly checkpoints: ReadonlyMap<string, readonly FoundCheckpoint[]>
}

/** Reads what lies beside the logs. */
async function readAside(files: readonly SourceFile[], signal: AbortSignal | undefined, skipped: SkippedLines): Promise<Aside> {
  const metas = new Map<string, ReadonlyMap<string, AixgoMeta>>()
  const checkpoints = new Map<string, FoundCheckpoint[]>()
  const isWanted = (path: string): boolean => ['index', 'checkpoint'].includes(aixgoFile(path)?.kind ?? '')
  for await (const { path, bytes } of walkFiles(files, { isWanted, signal, onRead: () => {} })) {
    const { kind, directory } = aixgoFile(path)!
    const text = await readSmallText(bytes, wholeFileBytes[kind as 'index' | 'checkpoint']).catch((error: unknown) => {
      if (!isSessionError(error, 'TooLarge')) throw error
      skipped.add(0, error.message, path)
    })
    if (text === undefined) continue
    if (kind === 'index') {
      const index = attempt(path, skipped, () => readIndex(text))
      if (index !== undefined) metas.set(directory, index)
      continue
    }
    const checkpoint = attempt(path, skipped, () => readCheckpoint(text))
    if (checkpoint === undefined) continue
    const place = `${directory}\n${checkpoint.sessionId}`
    const others = checkpoints.get(place)
    if (others === undefined) checkpoints.set(place, [{ path, checkpoint }])
    else others.push({ path, checkpoint })
  }
  return { metas, checkpoints }
}

function* checkpointEntries(
  source: string, checkpoints: readonly FoundCheckpoint[], nodes: readonly FileNode[], placeOf: (id: string) => Entry | undefined, skipped: SkippedLines,
): Generator<void, readonly Entry[], undefined> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const entries: Entry[] = []
  for (const { path, checkpoint } of checkpoints) {
    try {
      entries.push(yield* checkpointEntry(source, checkpoint, byId, placeOf))
    } catch (error) {
      if (!isSessionError(error)) throw error
      skipped.add(0, error.message, path)
    }
  }
  return entries
}

function attempt<T>(path: string, skipped: SkippedLines, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!isSessionError(error)) throw error
    skipped.add(0, error.message, path)
    return undefined
  }
}

/** What is known of a session, as entries: when it was made, and what the index says. The times keep their digits in `custom.aixgo`. */
function metaEntries(source: string, id: string, { agentName, userId, createdAt, updatedAt }: AixgoMeta = {}, directory: string): readonly Entry[] {
  const agentId = agentName ?? directory.slice(directory.lastIndexOf('/') + 1)
  const times = { ...(createdAt === undefined ? {} : { createdAt }), ...(updatedAt === undefined ? {} : { updatedAt }) }
  const set = { id, ...(isPlainId(id) ? { aliases: [id] } : {}), ...(agentId === '' ? {} : { agentId }), ...(userId === undefined ? {} : { userId }), ...(Object.keys(times).length === 0 ? {} : { custom: { aixgo: times } }) }
  const at = timeOf(updatedAt) ?? 0
  const madeAt = timeOf(createdAt) ?? 0
  return [...(madeAt === 0 ? [] : [metaEntry(source, {}, madeAt, 0)]), metaEntry(source, set, at, at)]
}
