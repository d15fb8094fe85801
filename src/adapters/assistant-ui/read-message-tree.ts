import { readEntries } from '../../client/session/read-entries.ts'
import type { Session } from '../../client/session-contract.ts'
import type { EntryRef, EntryView } from '../../contract/entry.ts'
import type { BranchInfo } from '../../contract/meta.ts'

/** A message of a session, and the one in front of it. */
export interface TreeEntry {
  /** The host's id, or, where it has none, or one that another message has too, the id of the entry. */
  readonly id: string
  readonly parentId: string | null
  readonly entry: EntryView<object>
}

/** All branches of a session. */
export interface MessageTree {
  /** Each message behind the one that it follows. */
  readonly entries: readonly TreeEntry[]
  /** The last message of the line that is shown. */
  readonly headId: string | null
  /** Where the messages are that are not found by their ids. */
  readonly places: ReadonlyMap<string, EntryRef>
}

/** A line: what it has of its own, and the line that it forked from, up to an order. */
interface TreeLine {
  readonly own: TreeEntry[]
  readonly parent?: TreeLine
  readonly until: string
}

/**
 * Reads all lines of a session, each entry once.
 *
 * @param isShown - leaves messages out: those behind them follow what is in front of them
 */
export async function readMessageTree(
  session: Session<object>,
  isShown: (entry: EntryView<object>) => boolean,
): Promise<MessageTree> {
  const branches = new Map((await session.branches.list()).map((branch) => [branch.id, branch]))
  const entries: TreeEntry[] = []
  const known = new Map<string, TreeEntry>()
  const ids = new Set<string>()
  const places = new Map<string, EntryRef>()
  const lines = new Map<string, TreeLine>()

  function add(entry: EntryView<object>, parentId: string | null): TreeEntry {
    const isFound = entry.mid !== undefined && !ids.has(entry.mid)
    const id = isFound ? entry.mid : entry.id
    ids.add(id)
    if (!isFound) places.set(id, { branch: entry.branch, order: entry.order })
    const added = { id, parentId, entry }
    known.set(entry.id, added)
    entries.push(added)
    return added
  }
  async function readLine({ id, fork }: BranchInfo): Promise<TreeLine> {
    const done = lines.get(id)
    if (done !== undefined) return done
    const origin = fork && branches.get(fork.branch)
    // A line that forked from a deleted branch, or shows what its parent hides, is read from its beginning.
    const isPart = origin !== undefined && (await beginsAlike(session, [origin.id, id], fork!.order))
    const parent = isPart ? await readLine(origin) : undefined
    const until = parent === undefined ? '' : fork!.order
    let last = parent && lastUntil(parent, until)
    const line: TreeLine = { own: [], until, ...(parent === undefined ? {} : { parent }) }
    lines.set(id, line)
    for await (const page of readEntries(session.store, session.key, undefined, { branch: id, after: until }))
      for (const entry of page) {
        if (entry.message === undefined || !isShown(entry)) continue
        last = known.get(entry.id) ?? add(entry, last?.id ?? null)
        line.own.push(last)
      }
    return line
  }

  for (const branch of branches.values()) await readLine(branch)
  const head = [...branches.values()].find(({ isHead }) => isHead)
  const headLine = lines.get(head?.id ?? '')
  return { entries, headId: (headLine && lastUntil(headLine)?.id) ?? null, places }
}

/**
 * Whether two lines that have the same entries up to an order show the same of them. Cuts hide entries from the oldest
 * on, so that the first and the last one tell.
 */
async function beginsAlike(
  { store, key }: Session<object>,
  lines: readonly [string, string],
  until: string,
): Promise<boolean> {
  const ends = lines.map(async (branch) => {
    const [first, last] = await Promise.all([
      store.read(key, { branch, after: '', limit: 1 }),
      store.read(key, { branch, before: `${until}!`, limit: 1 }),
    ])
    const [entry] = first.entries
    return [entry !== undefined && entry.order <= until ? entry.id : '', last.entries[0]?.id ?? '']
  })
  const [ours, theirs] = await Promise.all(ends)
  return ours!.every((end, i) => end === theirs![i])
}

/** The last message of a line, or the last one up to an order. */
function lastUntil(line: TreeLine, order?: string): TreeEntry | undefined {
  const last = line.own.findLast(({ entry }) => order === undefined || entry.order <= order)
  if (last !== undefined || line.parent === undefined) return last
  return lastUntil(line.parent, order === undefined || line.until < order ? line.until : order)
}
