import type { Entry } from '../../../contract/entry.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { ImportReport } from '../../../contract/job.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { createSizeGuard } from '../../../formats/create-size-guard.ts'
import type { ForeignFile } from '../../../formats/foreign-files.ts'
import { isFileError } from '../../../formats/is-file-error.ts'
import { keyOfLog } from '../../../formats/key-of-log.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { isPlainId } from '../../../formats/plain-id.ts'
import { readSmallText } from '../../../formats/read-small-text.ts'
import { createSkippedLines, type SkippedLines } from '../../../formats/skipped-lines.ts'
import { splitPath } from '../../../formats/split-path.ts'
import { type FileNode, storeTree, type TreeStore } from '../../../formats/store-tree.ts'
import { takeLines } from '../../../formats/take-lines.ts'
import { timeOf } from '../../../formats/time.ts'
import type { ImportDirectoryOptions, WantedFile } from '../../../formats/wanted-file.ts'
import { createBreather } from '../../../pacing/breather.ts'
import { type AixgoCheckpoint, checkpointEntry, isCheckpoint, readCheckpoint } from './aixgo-checkpoint.ts'
import { type AixgoMeta, readIndex } from './read-aixgo-index.ts'
import { createLogReader } from './read-aixgo-log.ts'

/** Bytes of an index, and of a checkpoint. */
const wholeFileBytes = { index: 32 * 1024 * 1024, checkpoint: 16 * 1024 * 1024 }

/** What Aixgo calls its sessions, and so their logs. */
const isSessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Imports sessions of Aixgo, wherever their files lie and whatever they are called: logs, indexes and checkpoints.
 * Entries are read along their parents: what a restore left behind becomes a branch, the line of the index's
 * `currentLeaf` is shown. Checkpoints whose checksum is right become checkpoints; others are reported, as lines that
 * can't be taken.
 *
 * A session is `aixgo:<id>`, with its id as alias. A log doesn't say its id: the row of an index or the checkpoint that
 * names one of its entries does, or its name where that is one that Aixgo gives. A log without any of these is known by
 * its first entry, `aixgo-log:<id of that>`, which is an alias of every session, so that the same log under another
 * name is the same session.
 *
 * The same again adds nothing, what has grown adds what is new, on every device alike. A session that was deleted comes
 * back.
 *
 * @throws InvalidInput when a file can't be read; Aborted: sessions that were stored stay
 */
export async function importAixgo(
  store: TreeStore,
  files: readonly WantedFile[],
  options: ImportDirectoryOptions = {},
): Promise<ImportReport> {
  return oneAtATime('keepsession:import:aixgo', options.signal, () => run(store, files, options))
}

async function run(
  store: TreeStore,
  files: readonly WantedFile[],
  { signal, onRead = () => {} }: ImportDirectoryOptions,
): Promise<ImportReport> {
  const breathe = createBreather()
  const skipped = createSkippedLines()
  const logs = files.filter(({ form }) => form === 'lines').map(({ file }) => file)
  const { rows, checkpoints } = await readAside(
    files.filter(({ form }) => form !== 'lines').map(({ file }) => file),
    { signal, onRead, skipped },
  )
  const taken = new Map<string, string>()
  const keys: string[] = []
  let [added, known] = [0, 0]

  async function take(file: string, { id: said, row, directory, nodes }: FoundSession): Promise<void> {
    // A log that grows keeps its first entry.
    const first = nodes[0]?.id ?? ''
    const content = { source: `aixgo-log:${first}`, id: first }
    const [id, source] = said === undefined ? [first, content.source] : [said, `aixgo:${said}`]
    const other = taken.get(source)
    if (other !== undefined)
      return skipped.add(
        0,
        `session ${JSON.stringify(id)} was taken from ${other}; import this file by itself to add it there`,
        file,
      )
    taken.set(source, file)
    const { currentLeaf } = row ?? {}
    const result = await storeTree(
      {
        source,
        file,
        nodes,
        key: await keyOfLog(store, { source, id, content }),
        metas: metaEntries(source, row, {
          id,
          directory,
          aliases: [id, ...(isPlainId(first) && said !== undefined ? [content.source] : [])].filter(
            (name) => name !== id || isPlainId(id),
          ),
        }),
        ...(currentLeaf !== undefined && nodes.some((node) => node.id === currentLeaf) ? { leaf: currentLeaf } : {}),
        about: (placeOf) => checkpointEntries(source, checkpoints.get(id) ?? [], nodes, placeOf, skipped),
      },
      { store, skipped, breathe, signal },
    )
    keys.push(result.key)
    added += result.added
    known += result.known
  }

  const rowByLog = new Map(rows.map((row) => [`${row.directory}\n${row.id}`, row]))
  const rowByLeaf = new Map(rows.map((row) => [row.meta.currentLeaf, row]))
  const rowById = new Map(rows.map((row) => [row.id, row]))
  const sessionBySeen = new Map(
    [...checkpoints].flatMap(([id, found]) => found.map(({ checkpoint: { entryId } }) => [entryId, id] as const)),
  )
  /** The row of a log that lies beside its index, as Aixgo writes it. */
  const rowBeside = (path: string): FoundRow | undefined => {
    const { directory, stem } = splitPath(path)
    return rowByLog.get(`${directory}\n${stem}`)
  }

  async function takeLog(file: ForeignFile): Promise<void> {
    const { path } = file
    const reader = createLogReader((line, reason) => skipped.add(line, reason, path))
    await takeLines(file.read(signal, onRead), reader.take, { breathe, signal, onPiece: () => {} })
    const nodes = reader.end()
    const { directory, stem } = splitPath(path)
    const leaf = nodes.findLast((node) => rowByLeaf.has(node.id))
    const row = rowBeside(path) ?? (leaf && rowByLeaf.get(leaf.id)) ?? rowById.get(stem)
    const seen = nodes.find((node) => sessionBySeen.has(node.id))
    const id = row?.id ?? (seen && sessionBySeen.get(seen.id)) ?? (isSessionId.test(stem) ? stem : undefined)
    if (nodes.length === 0 && row === undefined) return skipped.add(0, 'it holds no entry of Aixgo', path)
    await take(path, { id, directory, nodes, row: row?.meta })
  }

  // Copies of a log come after the one that its index means.
  const [beside, others] = [
    logs.filter(({ path }) => rowBeside(path) !== undefined),
    logs.filter(({ path }) => rowBeside(path) === undefined),
  ]
  for (const file of [...beside, ...others]) {
    try {
      await takeLog(file)
    } catch (error) {
      if (!isFileError(error)) throw error
      skipped.addError(error, file.path)
    }
    if (signal?.aborted) throw abortError()
  }
  for (const { id, meta, directory, path } of rows)
    if (!taken.has(`aixgo:${id}`)) await take(path, { id, directory, nodes: [], row: meta })
  for (const [id, found] of checkpoints)
    if (!taken.has(`aixgo:${id}`))
      for (const { path } of found)
        skipped.add(0, `the log of its session ${JSON.stringify(id)} is not among the files`, path)
  return { keys, added, known, skipped: skipped.list(), skippedCount: skipped.count }
}

interface FoundSession {
  readonly id: string | undefined
  readonly row: AixgoMeta | undefined
  readonly directory: string
  readonly nodes: readonly FileNode[]
}

/** A row of an index. */
interface FoundRow {
  readonly id: string
  readonly meta: AixgoMeta
  readonly directory: string
  /** Of the index. */
  readonly path: string
}

interface FoundCheckpoint {
  readonly path: string
  readonly checkpoint: AixgoCheckpoint
}

interface Aside {
  readonly rows: readonly FoundRow[]
  /** By session. */
  readonly checkpoints: ReadonlyMap<string, readonly FoundCheckpoint[]>
}

/** Reads what lies beside the logs. */
async function readAside(
  files: readonly ForeignFile[],
  {
    signal,
    onRead,
    skipped,
  }: Required<Pick<ImportDirectoryOptions, 'onRead'>> & {
    readonly signal: AbortSignal | undefined
    readonly skipped: SkippedLines
  },
): Promise<Aside> {
  const rows: FoundRow[] = []
  const checkpoints = new Map<string, FoundCheckpoint[]>()
  const hold = createSizeGuard()
  for (const file of files) {
    const { path } = file
    try {
      const text = await readSmallText(file.read(signal, onRead), wholeFileBytes.index)
      hold(text.length)
      const found = parseWhole(text)
      if (!isCheckpoint(found)) {
        const { directory } = splitPath(path)
        for (const [id, meta] of readIndex(found)) rows.push({ id, meta, directory, path })
        continue
      }
      if (text.length > wholeFileBytes.checkpoint)
        throw new SessionError('TooLarge', `it has over ${wholeFileBytes.checkpoint / 1024 / 1024} MiB`)
      const checkpoint = readCheckpoint(found)
      const others = checkpoints.get(checkpoint.sessionId)
      if (others === undefined) checkpoints.set(checkpoint.sessionId, [{ path, checkpoint }])
      else others.push({ path, checkpoint })
    } catch (error) {
      if (!isFileError(error)) throw error
      skipped.addError(error, path)
    }
    if (signal?.aborted) throw abortError()
  }
  return { rows, checkpoints }
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', 'it is not JSON')
  }
}

function* checkpointEntries(
  source: string,
  checkpoints: readonly FoundCheckpoint[],
  nodes: readonly FileNode[],
  placeOf: (id: string) => Entry | undefined,
  skipped: SkippedLines,
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

/**
 * What is known of a session, as entries: when it was made, and what the index says. The times keep their digits in
 * `custom.aixgo`.
 */
function metaEntries(
  source: string,
  { agentName, userId, createdAt, updatedAt }: AixgoMeta = {},
  { id, directory, aliases }: { readonly id: string; readonly directory: string; readonly aliases: readonly string[] },
): readonly Entry[] {
  const agentId = agentName ?? directory.slice(directory.lastIndexOf('/') + 1)
  const times = { ...(createdAt === undefined ? {} : { createdAt }), ...(updatedAt === undefined ? {} : { updatedAt }) }
  const set = {
    id,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(agentId === '' ? {} : { agentId }),
    ...(userId === undefined ? {} : { userId }),
    ...(Object.keys(times).length === 0 ? {} : { custom: { aixgo: times } }),
  }
  const at = timeOf(updatedAt) ?? 0
  const madeAt = timeOf(createdAt) ?? 0
  return [...(madeAt === 0 ? [] : [metaEntry(source, {}, madeAt, 0)]), metaEntry(source, set, at, at)]
}
