import type { ImportReport } from '../../../contract/job.ts'
import { alreadyTaken } from '../../../formats/already-taken.ts'
import { eachFile } from '../../../formats/each-file.ts'
import type { ForeignFile } from '../../../formats/foreign-files.ts'
import { keyOfLog } from '../../../formats/key-of-log.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import { isPlainId } from '../../../formats/plain-id.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { splitPath } from '../../../formats/split-path.ts'
import { type FileNode, storeTree, type TreeStore } from '../../../formats/store-tree.ts'
import { takeLines } from '../../../formats/take-lines.ts'
import type { ImportDirectoryOptions, WantedFile } from '../../../formats/wanted-file.ts'
import { createBreather } from '../../../pacing/breather.ts'
import { createLogOwners } from './aixgo-log-owners.ts'
import { checkpointEntries, metaEntries } from './aixgo-session-entries.ts'
import { readCompanions } from './read-aixgo-companions.ts'
import type { AixgoMeta } from './read-aixgo-index.ts'
import { createLogReader } from './read-aixgo-log.ts'

/**
 * Imports sessions of Aixgo from logs, indexes and checkpoints, in whatever folders and under whatever names they are.
 * Entries follow their parents: entries that a restore abandoned become a branch, and the line of the index's
 * `currentLeaf` is shown. Checkpoints with the right checksum become checkpoints. The others are reported, like lines
 * that can't be imported.
 *
 * A session gets the key `aixgo:<id>`, with its id as an alias. A log doesn't contain its id. It comes from the row of
 * an index or from the checkpoint that names one of its entries, or from the file's name if that has the form of
 * Aixgo's ids. A log without any of these is identified by its first entry, as `aixgo-log:<id of that entry>`. Every
 * session has this name as an alias, so that the same log under another name is the same session.
 *
 * Importing the same files again adds nothing, and files that have grown add what is new, identically on every device.
 * A session that was deleted is restored.
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
  const others = files.filter(({ form }) => form !== 'lines').map(({ file }) => file)
  const companions = await readCompanions(others, signal, onRead, skipped)
  const { rows, checkpoints } = companions
  const owners = createLogOwners(companions)
  const taken = new Map<string, string>()
  const keys: string[] = []
  let [added, known] = [0, 0]

  async function take(file: string, { id: said, row, directory, nodes }: FoundSession): Promise<void> {
    // A log that grows keeps its first entry.
    const first = nodes[0]?.id ?? ''
    const content = { source: `aixgo-log:${first}`, id: first }
    const [id, source] = said === undefined ? [first, content.source] : [said, `aixgo:${said}`]
    const other = taken.get(source)
    if (other !== undefined) return skipped.add(0, alreadyTaken(id, other), file)
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

  async function takeLog(file: ForeignFile): Promise<void> {
    const { path } = file
    const reader = createLogReader((line, reason) => skipped.add(line, reason, path))
    await takeLines(file.read(signal, onRead), reader.take, { breathe, signal, onPiece: () => {} })
    const nodes = reader.end()
    const { id, row } = owners.ownerOf(path, nodes)
    if (nodes.length === 0 && row === undefined) return skipped.add(0, 'it contains no entry of Aixgo', path)
    await take(path, { id, directory: splitPath(path).directory, nodes, row: row?.meta })
  }

  // Copies of a log come after the log that is next to its index.
  const isNextToIndex = ({ path }: ForeignFile): boolean => owners.rowNextTo(path) !== undefined
  const ordered = [...logs.filter(isNextToIndex), ...logs.filter((log) => !isNextToIndex(log))]
  await eachFile(ordered, skipped, signal, takeLog)
  for (const { id, meta, directory, path } of rows)
    if (!taken.has(`aixgo:${id}`)) await take(path, { id, directory, nodes: [], row: meta })
  for (const [id, found] of checkpoints)
    if (!taken.has(`aixgo:${id}`))
      for (const { path } of found)
        skipped.add(0, `the log of its session ${JSON.stringify(id)} is not among the files`, path)
  return { keys, added, known, ...skipped.report() }
}

interface FoundSession {
  readonly id: string | undefined
  readonly row: AixgoMeta | undefined
  readonly directory: string
  readonly nodes: readonly FileNode[]
}
