import type { Entry } from '../contract/entry.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import type { ImportReport, JobProgress, SourceFile } from '../contract/job.ts'
import type { JsonObject } from '../contract/json.ts'
import { type AiPanelRow, readIndex } from './ai-panel/read-index.ts'
import { type AiPanelLog, createLogReader } from './ai-panel/read-log.ts'
import { createBreather } from '../pacing/breather.ts'
import { abortError } from './byte-source.ts'
import type { ImportDirectoryOptions } from './import-aixgo.ts'
import { takeLines } from './take-lines.ts'
import { metaEntry } from './meta-entry.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { readSmallText } from './read-small-text.ts'
import { type FoundFile, walkFiles } from './session-files.ts'
import { isPlainId } from './plain-id.ts'
import { createSkippedLines, type SkippedLines } from './skipped-lines.ts'
import { storeTree, type TreeStore } from './store-tree.ts'

/** Bytes of an index. */
const indexBytes = 128 * 1024 * 1024

/**
 * Imports directories of ai-panel (`agents/<agent>/sessions/sessions.json` and `<session>.jsonl`), as files or in zip archives, each session as
 * `ai-panel:<agent>:<id>` with its id as alias. The index gives titles and times; where it is missing or can't be read, header and log do.
 * Messages that an old compaction copied come in once. A title is shown unless somebody chose another here.
 *
 * The same again adds nothing, what has grown adds what is new, on every device alike. A session that was deleted comes back.
 *
 * @throws InvalidInput when there is no session at all, or a file can't be read; Aborted: sessions that were stored stay
 */
export async function importAiPanel(store: TreeStore, files: readonly SourceFile[], { signal, onProgress }: ImportDirectoryOptions = {}): Promise<ImportReport> {
  return oneAtATime('keepsession:import:ai-panel', signal, () => run(store, files, signal, onProgress))
}

async function run(store: TreeStore, files: readonly SourceFile[], signal: AbortSignal | undefined, onProgress: ((progress: JobProgress) => void) | undefined): Promise<ImportReport> {
  const breathe = createBreather()
  const skipped = createSkippedLines()
  const totalBytes = files.reduce((sum, { blob }) => sum + blob.size, 0)
  const indexes = await readIndexes(files, signal, skipped)
  const taken = new Map<string, string>()
  const read = new Set<string>()
  const keys: string[] = []
  let [bytesRead, added, known, logs] = [0, 0, 0, 0]
  const report = (): void => onProgress?.({ readBytes: Math.min(bytesRead, totalBytes), totalBytes, entries: added + known, skipped: skipped.count })

  async function take(path: string, row: AiPanelRow | undefined, log: AiPanelLog): Promise<void> {
    const { directory, name } = splitPath(path)
    const id = row?.id ?? name
    const agentId = log.agentId ?? row?.agentId ?? /(?:^|\/)([^/]+)\/sessions$/.exec(directory)?.[1] ?? ''
    const source = `ai-panel:${agentId}:${id}`
    const other = taken.get(source)
    if (other !== undefined) return skipped.add(0, `session ${JSON.stringify(id)} was taken from ${other}; import this file by itself to add it there`, path)
    if (log.nodes.length === 0 && row === undefined && log.agentId === undefined) return skipped.add(0, 'it holds no entry of ai-panel', path)
    taken.set(source, path)
    const result = await storeTree({ source, file: path, nodes: log.nodes, metas: metaEntries(source, id, agentId, row, log) }, { store, skipped, breathe, signal })
    keys.push(result.key)
    added += result.added
    known += result.known
    report()
  }

  async function takeLog({ path, bytes }: FoundFile): Promise<void> {
    const reader = createLogReader((line, reason) => skipped.add(line, reason, path))
    await takeLines(bytes, reader.take, { breathe, signal, onPiece: report })
    const { directory, name } = splitPath(path)
    read.add(path)
    await take(path, indexes.get(directory)?.get(name), reader.end())
  }

  for await (const found of walkFiles(files, { isWanted: isLog, signal, onRead: (bytes) => void (bytesRead += bytes) })) {
    logs += 1
    try {
      await takeLog(found)
    } catch (error) {
      if (!isSessionError(error, 'InvalidInput')) throw error
      skipped.add(0, error.message, found.path)
      read.add(found.path)
    }
    if (signal?.aborted) throw abortError()
  }
  if (logs === 0 && indexes.size === 0) throw new SessionError('InvalidInput', 'There is no session of ai-panel here: no sessions.json and no .jsonl file. Choose its agents directory, or a zip of it.')
  for (const [directory, rows] of indexes) {
    for (const [name, row] of rows) {
      const path = `${directory === '' ? '' : `${directory}/`}${name}.jsonl`
      if (!read.has(path)) await take(path, row, { nodes: [] })
    }
  }
  bytesRead = totalBytes
  report()
  return { keys, added, known, skipped: skipped.list(), skippedCount: skipped.count }
}

async function readIndexes(files: readonly SourceFile[], signal: AbortSignal | undefined, skipped: SkippedLines): Promise<ReadonlyMap<string, ReadonlyMap<string, AiPanelRow>>> {
  const indexes = new Map<string, ReadonlyMap<string, AiPanelRow>>()
  for await (const { path, bytes } of walkFiles(files, { isWanted: isIndex, signal, onRead: () => {} })) {
    try {
      indexes.set(splitPath(path).directory, readIndex(await readSmallText(bytes, indexBytes)))
    } catch (error) {
      if (!isSessionError(error, 'InvalidInput') && !isSessionError(error, 'TooLarge')) throw error
      skipped.add(0, error.message, path)
    }
  }
  return indexes
}

/** What is known of a session, as entries: when it was made, and what the index says. */
function metaEntries(source: string, id: string, agentId: string, row: AiPanelRow | undefined, log: AiPanelLog): readonly Entry[] {
  const madeAt = log.createdAt ?? row?.createdAt ?? 0
  const lastAt = row?.lastAt ?? 0
  const set: JsonObject = { id, ...(isPlainId(id) ? { aliases: [id] } : {}), ...(agentId === '' ? {} : { agentId }), ...(row?.title === undefined ? {} : { suggestedTitle: row.title }) }
  return [...(madeAt === 0 ? [] : [metaEntry(source, {}, madeAt, 0)]), metaEntry(source, set, lastAt, lastAt)]
}

function isLog(path: string): boolean {
  const { name } = splitPath(path)
  return path.endsWith('.jsonl') && name !== '' && !name.startsWith('._') && !path.startsWith('__MACOSX/')
}

function isIndex(path: string): boolean {
  return /(^|\/)sessions\.json$/.test(path) && !path.startsWith('__MACOSX/')
}

function splitPath(path: string): { readonly directory: string; readonly name: string } {
  const at = path.lastIndexOf('/')
  return { directory: path.slice(0, Math.max(0, at)), name: path.slice(at + 1).replace(/\.jsonl$/, '') }
}
