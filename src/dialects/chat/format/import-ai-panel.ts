import type { Entry } from '../../../contract/entry.ts'
import type { ImportReport } from '../../../contract/job.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { abortError } from '../../../formats/byte-source.ts'
import type { ForeignFile } from '../../../formats/foreign-files.ts'
import { isFileError } from '../../../formats/is-file-error.ts'
import { keyOfLog } from '../../../formats/key-of-log.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { isPlainId } from '../../../formats/plain-id.ts'
import { readSmallText } from '../../../formats/read-small-text.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { splitPath } from '../../../formats/split-path.ts'
import { storeTree, type TreeStore } from '../../../formats/store-tree.ts'
import { takeLines } from '../../../formats/take-lines.ts'
import type { ImportDirectoryOptions, WantedFile } from '../../../formats/wanted-file.ts'
import { createBreather } from '../../../pacing/breather.ts'
import { type AiPanelRow, readIndex } from './read-ai-panel-index.ts'
import { type AiPanelLog, createLogReader } from './read-ai-panel-log.ts'

/** Bytes of an index. */
const indexBytes = 32 * 1024 * 1024

/** What ai-panel calls its sessions, and so their logs. */
const isSessionId = /^ses-\d+$/

/**
 * Imports sessions of ai-panel, wherever their files lie and whatever they are called: indexes and logs. An index gives
 * titles and times; where it is missing or can't be read, header and log do. Messages that an old compaction copied
 * come in once. A title is shown unless somebody chose another here.
 *
 * A session is `ai-panel:<agent>:<id>`, with its id as alias. A log doesn't say its id: the row of an index that lies
 * beside it or has its agent and time does, or its name where that is one that ai-panel gives. A log without any of
 * these is known by its header and its first message, `ai-panel-log:<hash>`, which is an alias of every session, so
 * that the same log under another name is the same session.
 *
 * The same again adds nothing, what has grown adds what is new, on every device alike. A session that was deleted comes
 * back.
 *
 * @throws InvalidInput when a file can't be read; Aborted: sessions that were stored stay
 */
export async function importAiPanel(
  store: TreeStore,
  files: readonly WantedFile[],
  options: ImportDirectoryOptions = {},
): Promise<ImportReport> {
  return oneAtATime('keepsession:import:ai-panel', options.signal, () => run(store, files, options))
}

/** A row of an index. */
interface FoundRow {
  readonly row: AiPanelRow
  /** Where its log lies, as ai-panel writes it. */
  readonly logPath: string
  /** Of the index. */
  readonly path: string
}

async function run(
  store: TreeStore,
  files: readonly WantedFile[],
  { signal, onRead = () => {} }: ImportDirectoryOptions,
): Promise<ImportReport> {
  const breathe = createBreather()
  const skipped = createSkippedLines()
  const taken = new Map<string, string>()
  const used = new Set<FoundRow>()
  const rows: FoundRow[] = []
  const keys: string[] = []
  let [added, known] = [0, 0]

  async function each(chosen: readonly WantedFile[], work: (file: ForeignFile) => Promise<void>): Promise<void> {
    for (const { file } of chosen) {
      try {
        await work(file)
      } catch (error) {
        if (!isFileError(error)) throw error
        skipped.addError(error, file.path)
      }
      if (signal?.aborted) throw abortError()
    }
  }

  async function takeIndex(file: ForeignFile): Promise<void> {
    const { directory } = splitPath(file.path)
    for (const [stem, row] of readIndex(await readSmallText(file.read(signal, onRead), indexBytes))) {
      rows.push({ row, path: file.path, logPath: `${directory === '' ? '' : `${directory}/`}${stem}.jsonl` })
    }
  }

  async function take(path: string, row: AiPanelRow | undefined, log: AiPanelLog): Promise<void> {
    const { directory, stem } = splitPath(path)
    const first = hash53(`${log.agentId ?? ''} ${log.createdAt ?? ''} ${log.nodes[0]?.id ?? ''}`).toString(36)
    const content = { source: `ai-panel-log:${first}`, id: first }
    const said = row?.id ?? (isSessionId.test(stem) ? stem : undefined)
    const agentId = log.agentId ?? row?.agentId ?? /(?:^|\/)([^/]+)\/sessions$/.exec(directory)?.[1] ?? ''
    const [id, source] = said === undefined ? [first, content.source] : [said, `ai-panel:${agentId}:${said}`]
    const other = taken.get(source)
    if (other !== undefined)
      return skipped.add(
        0,
        `session ${JSON.stringify(id)} was taken from ${other}; import this file by itself to add it there`,
        path,
      )
    if (log.nodes.length === 0 && row === undefined && log.agentId === undefined)
      return skipped.add(0, 'it holds no entry of ai-panel', path)
    taken.set(source, path)
    const key = await keyOfLog(store, { source, id, content })
    const aliases = [
      ...(isPlainId(id) ? [id] : []),
      ...(said === undefined || log.nodes.length === 0 ? [] : [content.source]),
    ]
    const result = await storeTree(
      { source, key, file: path, nodes: log.nodes, metas: metaEntries(source, { id, agentId, aliases }, row, log) },
      { store, skipped, breathe, signal },
    )
    keys.push(result.key)
    added += result.added
    known += result.known
  }

  async function takeLog(file: ForeignFile): Promise<void> {
    const reader = createLogReader((line, reason) => skipped.add(line, reason, file.path))
    await takeLines(file.read(signal, onRead), reader.take, { breathe, signal, onPiece: () => {} })
    const log = reader.end()
    // The one row that has its agent and the time it was made.
    const alike = rowsByHeader.get(`${log.createdAt ?? ''} ${log.agentId ?? ''}`) ?? []
    const row = rowByLog.get(file.path) ?? (log.agentId !== undefined && alike.length === 1 ? alike[0] : undefined)
    if (row !== undefined) used.add(row)
    await take(file.path, row?.row, log)
  }

  await each(
    files.filter(({ form }) => form !== 'lines'),
    takeIndex,
  )
  const rowByLog = new Map(rows.map((found) => [found.logPath, found]))
  const rowsByHeader = new Map<string, FoundRow[]>()
  for (const found of rows) {
    const header = `${found.row.createdAt ?? ''} ${found.row.agentId ?? ''}`
    const others = rowsByHeader.get(header)
    if (others === undefined) rowsByHeader.set(header, [found])
    else others.push(found)
  }
  const isNamed = ({ file: { path } }: WantedFile): boolean => rowByLog.has(path)
  const logs = files.filter(({ form }) => form === 'lines')
  // Copies of a log come after the one that its index means.
  await each([...logs.filter(isNamed), ...logs.filter((file) => !isNamed(file))], takeLog)
  for (const found of rows) if (!used.has(found)) await take(found.logPath, found.row, { nodes: [] })
  return { keys, added, known, skipped: skipped.list(), skippedCount: skipped.count }
}

/** What is known of a session, as entries: when it was made, and what the index says. */
function metaEntries(
  source: string,
  { id, agentId, aliases }: { readonly id: string; readonly agentId: string; readonly aliases: readonly string[] },
  row: AiPanelRow | undefined,
  log: AiPanelLog,
): readonly Entry[] {
  const madeAt = log.createdAt ?? row?.createdAt ?? 0
  const lastAt = row?.lastAt ?? 0
  const set: JsonObject = {
    id,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(agentId === '' ? {} : { agentId }),
    ...(row?.title === undefined ? {} : { suggestedTitle: row.title }),
  }
  return [...(madeAt === 0 ? [] : [metaEntry(source, {}, madeAt, 0)]), metaEntry(source, set, lastAt, lastAt)]
}
