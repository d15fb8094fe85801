import type { Entry, VersionVector } from '../../../src/contract/entry.ts'
import { entryId } from '../../../src/domain/address.ts'
import { entryProblem } from '../../../src/domain/seal.ts'
import type { TreeWorld } from './tree-world.ts'
import { readLine, saveCheckpoint, seenIds, storedEntries } from './tree-world.ts'

/** What is wrong with a tree; nothing when the law holds. */
export type TreeLaw = (world: TreeWorld) => Promise<readonly string[]>

const idOf = ({ w, s }: Entry): string => entryId(w, s)
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const hasSeen = (vv: VersionVector, w: number, s: number): boolean => s < (vv[w.toString(36)] ?? 0)

/** All lines, in every view, by id and content. */
async function shownLines(world: TreeWorld): Promise<string> {
  const lines: unknown[] = []
  for (const { id } of await world.store.listBranches(world.key)) {
    for (const view of ['raw', 'transcript', 'context'] as const)
      lines.push([id, view, await readLine(world, { branch: id, view })])
  }
  return JSON.stringify(lines)
}

/** Every entry belongs to exactly one branch: main, or the one that one opener opened. */
const ownBranch: TreeLaw = async (world) => {
  const { rows, controls } = await storedEntries(world)
  const openers = controls.filter(({ type }) => type === 'branch').map(idOf)
  const ids = rows.map(idOf)
  const seen = new Map<string, Set<string>>()
  for (const { id } of await world.store.listBranches(world.key)) {
    for (const entry of await readLine(world, { branch: id, view: 'raw' }))
      seen.set(entry.id, (seen.get(entry.id) ?? new Set()).add(entry.branch))
  }
  return [
    ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${id} is stored twice`),
    ...rows
      .filter(({ branch }) => branch !== '' && openers.filter((id) => id === branch).length !== 1)
      .map((row) => `${idOf(row)} is on the branch "${row.branch}", which nothing opened`),
    ...[...seen].filter(([, branches]) => branches.size !== 1).map(([id]) => `${id} is shown on several branches`),
  ]
}

/** Every entry is visible on at least one line, unless it was cut there, removed, or is on a deleted branch. */
const visibleSomewhere: TreeLaw = async (world) => {
  const { rows, controls } = await storedEntries(world)
  const seen = new Set<string>()
  const branches = await world.store.listBranches(world.key)
  for (const { id } of branches) for (const entry of await readLine(world, { branch: id })) seen.add(entry.id)
  const isCut = ({ branch, order, w, s, turn }: Entry): boolean =>
    controls.some(({ type, branch: lane, data }) => {
      const vv = data['vv'] as VersionVector
      return (
        type === 'cut' &&
        lane === branch &&
        order <= (data['order'] as string) &&
        (hasSeen(vv, w, s) || (turn !== undefined && hasSeen(vv, turn.w, turn.s)))
      )
    })
  const isRemoved = ({ branch, order }: Entry): boolean => {
    const edits = controls.filter(
      ({ type, data }) => type === 'edit' && data['branch'] === branch && data['order'] === order,
    )
    return edits.toSorted((a, b) => (a.order < b.order ? -1 : 1)).at(-1)?.data['value'] === null
  }
  const isDeleted = ({ branch }: Entry): boolean => !branches.some(({ id }) => id === branch)
  const excused = (row: Entry): boolean => isCut(row) || isRemoved(row) || isDeleted(row)
  return [
    ...rows.filter((row) => !seen.has(idOf(row)) && !excused(row)).map((row) => `${idOf(row)} is visible nowhere`),
    ...rows
      .filter((row) => seen.has(idOf(row)) && isRemoved(row))
      .map((row) => `${idOf(row)} was removed and is visible`),
  ]
}

/** Switching to every line and back changes no line and nothing that is counted. */
const switching: TreeLaw = async (world) => {
  const { store, key } = world
  const branches = await store.listBranches(key)
  const home = branches.find(({ isHead }) => isHead)!.id
  const before = await shownLines(world)
  const counted = async () =>
    JSON.stringify(
      [(await store.getMeta(key))!].map(({ head, messageCount, tokenEstimate }) => [head, messageCount, tokenEstimate]),
    )
  const there = await counted()
  const problems: string[] = []
  for (const { id } of branches) {
    await store.switchBranch(key, id)
    const { messageCount } = (await store.getMeta(key))!
    const messages = (await readLine(world, {})).filter(({ message }) => message !== undefined).length
    if (messageCount !== messages)
      problems.push(`on "${id}" ${messageCount} messages are counted, and ${messages} are there`)
  }
  await store.switchBranch(key, home)
  if ((await shownLines(world)) !== before) problems.push('a line is not what it was')
  if ((await counted()) !== there) problems.push(`${await counted()} is counted instead of ${there}`)
  return problems
}

/** Restoring a checkpoint shows what it saw, but for later edits, and restoring it again the same. */
const restoring: TreeLaw = async (world) => {
  const { store, key } = world
  await saveCheckpoint(world)
  const problems: string[] = []
  for (const [checkpoint, saw] of world.saw) {
    await store.restoreCheckpoint(key, checkpoint)
    const first = await readLine(world, {})
    await store.addMessage(key, 'user', 'meanwhile')
    await store.restoreCheckpoint(key, checkpoint)
    if (!isSame(await readLine(world, {}), first))
      problems.push(`checkpoint ${checkpoint} shows something else the second time`)
    const edited = new Set(
      (await storedEntries(world)).controls
        .filter(({ type }) => type === 'edit')
        .map(({ data }) => `${data['branch']} ${data['order']}`),
    )
    const untouched = new Set(
      (await storedEntries(world)).rows.filter(({ branch, order }) => !edited.has(`${branch} ${order}`)).map(idOf),
    )
    const [now, then] = [await seenIds(world), saw].map((views) =>
      views.map((ids) => ids.filter((id) => untouched.has(id))),
    )
    if (!isSame(now, then))
      problems.push(`checkpoint ${checkpoint} saw ${JSON.stringify(then)} and shows ${JSON.stringify(now)}`)
  }
  return problems
}

/** Checksums verify, of every entry and in what the store finds itself. */
const checksums: TreeLaw = async (world) => {
  const { problems } = await world.store.verify(world.key)
  const { all } = await storedEntries(world)
  return [...problems.map(({ message }) => message), ...all.flatMap((entry) => entryProblem(entry) ?? [])]
}

/** Reclaiming takes nothing that a line shows. */
const compacting: TreeLaw = async (world) => {
  const shown = async () => {
    const lines: unknown[] = []
    for (const { id } of await world.store.listBranches(world.key)) lines.push(await seenIds(world, id))
    return JSON.stringify(lines)
  }
  const before = await shown()
  await world.store.reclaim(world.key)
  return (await shown()) === before ? [] : ['a line lost something']
}

/** Merging a line into another one gives that everything the line shows, once; nothing else changes. */
const merging: TreeLaw = async (world) => {
  const { session } = world
  const problems: string[] = []
  const [first, ...others] = (await session.branches.list()).map(({ id }) => id)
  for (const from of others.slice(0, 3)) {
    const source = JSON.stringify(await readLine(world, { branch: from }))
    const had = await readLine(world, { branch: first! })
    const copied = (await readLine(world, { branch: from })).filter(
      ({ type }) => type === 'message' || type === 'branch_summary',
    )
    const { added } = await session.branches.merge(from, first)
    const has = await readLine(world, { branch: first! })
    if (JSON.stringify(await readLine(world, { branch: from })) !== source) problems.push(`"${from}" was changed`)
    if (!isSame(has.slice(0, had.length), had)) problems.push('what the line showed before was changed')
    if (
      has.filter(({ type }) => type === 'message' || type === 'branch_summary').length !==
      had.filter(({ type }) => type === 'message' || type === 'branch_summary').length + added
    )
      problems.push('more was copied, or less, than was said')
    const raw = (await readLine(world, { branch: first!, view: 'raw' })).map(({ id }) => id)
    const origins = new Set([
      ...raw,
      ...(await readLine(world, { branch: first!, view: 'raw' })).flatMap(
        ({ data }) => (data?.['data'] as { entries?: readonly string[] })?.entries ?? [],
      ),
    ])
    const marked = new Set(
      (await readLine(world, { branch: from, view: 'raw' })).flatMap(
        ({ data }) => (data?.['data'] as { entries?: readonly string[] })?.entries ?? [],
      ),
    )
    for (const { id } of copied) if (!origins.has(id) && marked.size === 0) problems.push(`${id} was not copied`)
    if ((await session.branches.merge(from, first)).added !== 0) problems.push('a second merge added something')
  }
  return problems
}

/** The forks of the tree lead to lines that part there, and one of the ways is the head's where it comes by. */
const forking: TreeLaw = async (world) => {
  const { head, forks } = await world.session.branches.tree()
  const branches = await world.session.branches.list()
  const problems: string[] = []
  if (head !== branches.find(({ isHead }) => isHead)?.id) problems.push('the head is another line')
  for (const { id, choices, shown } of forks) {
    const lines = choices.map(({ line }) => line)
    if (choices.length < 2 || new Set(lines).size !== lines.length)
      problems.push(`fork ${id} leads to ${lines.join(', ')}`)
    if (shown !== lines.indexOf(head)) problems.push(`fork ${id} shows choice ${shown}`)
    for (const { line, first } of choices) {
      if (!branches.some((branch) => branch.id === line))
        problems.push(`fork ${id} leads to "${line}", which is no line`)
      if (first === undefined) continue
      for (const other of lines) {
        const isThere = (await readLine(world, { branch: other, view: 'raw' })).some((entry) => entry.id === first.id)
        if (isThere !== (other === line))
          problems.push(`the first message of "${line}" after fork ${id} is ${isThere ? '' : 'not '}on "${other}"`)
      }
    }
  }
  return problems
}

export const treeLaws = {
  'has every entry on exactly one branch': ownBranch,
  'shows every entry on at least one line, unless it was cut, removed, or is on a deleted branch': visibleSomewhere,
  'is not changed by switching back and forth': switching,
  'shows the same history each time a checkpoint is restored, and what that saw': restoring,
  'has checksums that verify': checksums,
  'loses nothing that a line shows when space is reclaimed': compacting,
  'gets from a merged branch what it lacked, once': merging,
  'knows its forks': forking,
} as const satisfies Record<string, TreeLaw>
