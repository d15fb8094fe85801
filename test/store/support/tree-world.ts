import fc from 'fast-check'
import type { Session } from '../../../src/client/session-contract.ts'
import type { Entry, EntryView } from '../../../src/contract/entry.ts'
import type { ReadOptions } from '../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { isControl } from '../../../src/domain/control.ts'
import { openHandle } from '../../client/support/open-handle.ts'

/** A session with a tree, and what was seen of it on the way. */
export interface TreeWorld {
  readonly store: SessionStore
  readonly session: Session
  readonly key: string
  /** What each checkpoint saw: ids on the transcript and in the context. */
  readonly saw: Map<string, readonly (readonly string[])[]>
  /** Texts that were said, none of them twice. */
  said: number
}

export type TreeStep = readonly [kind: number, which: number, at: number]

/** A few steps, each of which may name any line and any entry on it. */
export const treeSteps: fc.Arbitrary<readonly TreeStep[]> = fc.array(fc.tuple(fc.nat(99), fc.nat(9), fc.nat(19)), {
  minLength: 1,
  maxLength: 9,
  size: 'max',
})

export async function growTree(store: SessionStore, key: string, steps: readonly TreeStep[]): Promise<TreeWorld> {
  const world: TreeWorld = { store, session: await openHandle(store, key), key, saw: new Map(), said: 0 }
  await say(world, 'user')
  await say(world, 'assistant')
  for (const step of steps) await takeStep(world, step)
  return world
}

async function say(world: TreeWorld, role: string, branch?: string): Promise<void> {
  await world.session.append({ role, content: `${world.said++}` }, branch === undefined ? {} : { branch })
}

async function takeStep(world: TreeWorld, [kind, which, at]: TreeStep): Promise<void> {
  const { store, session, key } = world
  const lines = (await store.listBranches(key)).map(({ id }) => id)
  const line = lines[which % lines.length]!
  const shown = await readLine(world, { branch: line })
  const entry = shown[at % Math.max(1, shown.length)]
  const message = shown.filter((one) => one.message !== undefined)[at % Math.max(1, shown.length)]

  if (kind < 16) return say(world, 'user')
  if (kind < 26) return say(world, 'assistant')
  if (kind < 32) return say(world, 'assistant', line)
  if (kind < 40) return void (message && (await session.regenerate(message)))
  if (kind < 48)
    return void (message && (await session.editAndResend(message, { role: 'user', content: `${world.said++}` })))
  if (kind < 52) return void (entry && (await session.branches.before(entry)))
  if (kind < 57) return void (entry && (await piSession(session).branch(entry)))
  if (kind < 60) return void (await piSession(session).branchWithSummary(entry ?? null, `tried ${world.said++}`))
  if (kind < 66) return session.branches.switchTo(line)
  if (kind < 70) return line === '' ? undefined : session.branches.delete(line)
  if (kind < 76) return void (await session.branches.merge(line))
  if (kind < 78) return void (entry && (await piSession(session).setLabel(entry, `label ${at}`)))
  if (kind < 81) return void (message && (await session.remove(message)))
  if (kind < 84) return void (message && (await session.edit(message, { role: 'user', content: `${world.said++}` })))
  if (kind < 88) return store.truncateHistory(key, at % 4)
  if (kind < 91) return void (await store.setCompaction(key, { summary: `summary ${at}`, keepLast: at % 4 }))
  if (kind < 96) return saveCheckpoint(world)
  const checkpoints = await store.listCheckpoints(key)
  const checkpoint = checkpoints[which % Math.max(1, checkpoints.length)]
  if (checkpoint !== undefined) await store.restoreCheckpoint(key, checkpoint.id)
}

export async function saveCheckpoint(world: TreeWorld): Promise<void> {
  const { id } = await world.store.checkpoint(world.key)
  world.saw.set(id, await seenIds(world))
}

/** What a person and a model see of a line, by id. Default: of the head. */
export async function seenIds(world: TreeWorld, branch?: string): Promise<readonly (readonly string[])[]> {
  const views: (readonly string[])[] = []
  for (const view of ['transcript', 'context'] as const)
    views.push((await readLine(world, { view, ...(branch === undefined ? {} : { branch }) })).map(({ id }) => id))
  return views
}

export async function readLine(
  { store, key }: Pick<TreeWorld, 'store' | 'key'>,
  options: ReadOptions,
): Promise<readonly EntryView[]> {
  return (await store.read(key, { ...options, after: '', limit: 4_096 })).entries
}

/** Everything that is stored, in two parts: what stands in lines, and what says something about it. */
export async function storedEntries({
  store,
  key,
}: TreeWorld): Promise<{
  readonly all: readonly Entry[]
  readonly rows: readonly Entry[]
  readonly controls: readonly Entry[]
}> {
  const all: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, {}, cursor)
    all.push(...page.entries)
    cursor = page.next
    if (cursor === undefined) break
  }
  return { all, rows: all.filter(({ type }) => !isControl(type)), controls: all.filter(({ type }) => isControl(type)) }
}
