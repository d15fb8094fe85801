import type { Entry } from '../../../contract/entry.ts'
import type { ImportReport } from '../../../contract/job.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { alreadyTaken } from '../../../formats/already-taken.ts'
import { eachFile } from '../../../formats/each-file.ts'
import type { ForeignFile } from '../../../formats/foreign-files.ts'
import { keyOfLog } from '../../../formats/key-of-log.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { isPlainId } from '../../../formats/plain-id.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { splitPath } from '../../../formats/split-path.ts'
import { storeTree, type TreeStore } from '../../../formats/store-tree.ts'
import { takeLines } from '../../../formats/take-lines.ts'
import type { ImportDirectoryOptions, WantedFile } from '../../../formats/wanted-file.ts'
import { createBreather } from '../../../pacing/breather.ts'
import { createRowFinder, type FoundRow, readRows } from './ai-panel-rows.ts'
import type { AiPanelRow } from './read-ai-panel-index.ts'
import { type AiPanelLog, createLogReader } from './read-ai-panel-log.ts'

/** The form of the ids that ai-panel gives its sessions. Logs are named by them. */
const isSessionId = /^ses-\d+$/

/**
 * Imports sessions of ai-panel from indexes and logs, in whatever folders and under whatever names they are. An index
 * gives titles and times. Where it is missing or can't be read, the header and the log do. Messages that an old
 * compaction copied are imported once. An imported title is shown unless the user chose another one here.
 *
 * A session gets the key `ai-panel:<agent>:<id>`, with its id as an alias. A log doesn't contain its id. It comes from
 * the row of an index in the same folder, from the only row with the log's agent and time, or from the file's name if
 * that has the form of ai-panel's ids. A log without any of these is identified by its header and its first message, as
 * `ai-panel-log:<hash>`. Every session has this name as an alias, so that the same log under another name is the same
 * session.
 *
 * Importing the same files again adds nothing, and files that have grown add what is new, identically on every device.
 * A session that was deleted is restored.
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

  async function take(path: string, row: AiPanelRow | undefined, log: AiPanelLog): Promise<void> {
    const { directory, stem } = splitPath(path)
    const first = hash53(`${log.agentId ?? ''} ${log.createdAt ?? ''} ${log.nodes[0]?.id ?? ''}`).toString(36)
    const content = { source: `ai-panel-log:${first}`, id: first }
    const said = row?.id ?? (isSessionId.test(stem) ? stem : undefined)
    const agentId = log.agentId ?? row?.agentId ?? /(?:^|\/)([^/]+)\/sessions$/.exec(directory)?.[1] ?? ''
    const [id, source] = said === undefined ? [first, content.source] : [said, `ai-panel:${agentId}:${said}`]
    const other = taken.get(source)
    if (other !== undefined) return skipped.add(0, alreadyTaken(id, other), path)
    if (log.nodes.length === 0 && row === undefined && log.agentId === undefined)
      return skipped.add(0, 'it contains no entry of ai-panel', path)
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
    const row = finder.rowOf(file.path, log)
    if (row !== undefined) used.add(row)
    await take(file.path, row?.row, log)
  }

  const indexes = files.filter(({ form }) => form !== 'lines').map(({ file }) => file)
  const logs = files.filter(({ form }) => form === 'lines').map(({ file }) => file)
  await eachFile(indexes, skipped, signal, async (file) => pushAll(rows, await readRows(file, signal, onRead)))
  const finder = createRowFinder(rows)
  const isListed = ({ path }: ForeignFile): boolean => finder.isListed(path)
  // Copies of a log come after the log that its index names.
  const ordered = [...logs.filter(isListed), ...logs.filter((file) => !isListed(file))]
  await eachFile(ordered, skipped, signal, takeLog)
  for (const found of rows) if (!used.has(found)) await take(found.logPath, found.row, { nodes: [] })
  return { keys, added, known, ...skipped.report() }
}

/** Entries with a session's metadata: when it was created, and what the index says. */
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
