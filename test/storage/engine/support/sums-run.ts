import { sumsLane } from '../../../../src/contract/backend.ts'
import type { CheckpointRow, SessionRows, StoredEntry } from '../../../../src/contract/rows.ts'
import type { SessionStore } from '../../../../src/contract/store/session-store.ts'
import type { BlockSum, RowSum } from '../../../../src/contract/sums.ts'
import { entryId } from '../../../../src/domain/address.ts'
import { blockSize } from '../../../../src/domain/block-size.ts'
import { canonicalJson } from '../../../../src/domain/canonical-json.ts'
import { emptyCold } from '../../../../src/domain/empty-rows.ts'
import { foldEntries, foldView } from '../../../../src/domain/fold.ts'
import { lineAt, lineOf } from '../../../../src/domain/line.ts'
import { addRow, emptySum } from '../../../../src/domain/row-sum.ts'
import { createSeenCounter } from '../../../../src/domain/seen-messages.ts'
import { sha256 } from '../../../../src/domain/sha256.ts'
import { inRanges } from '../../../../src/domain/version-vector.ts'
import { createSessionStore } from '../../../../src/storage/create-session-store.ts'
import { bareEntry } from '../../../../src/storage/engine/reading/entry-view.ts'
import { lanesOf, readLane } from '../../../../src/storage/engine/reading/read-lane.ts'
import { countSeen, isSeen } from '../../../../src/storage/engine/reading/seen-reader.ts'
import { readTail, readWholeLine } from '../../../../src/storage/engine/reading/session-reader.ts'
import { readBlocks } from '../../../../src/storage/engine/sums/sum-blocks.ts'
import { createMemoryBackend } from '../../../../src/storage/memory-backend.ts'

/** Small ones, so that a few messages make many. This file is only ever run as a copy of its own. */
Object.assign(blockSize, { rows: 3, writers: 3, joined: 3 })

export type SumStep = readonly [device: number, kind: number, which: number, at: number]

interface Device {
  readonly backend: ReturnType<typeof createMemoryBackend>
  readonly store: SessionStore
}

const key = 's'

/**
 * Has two devices write to one session and to each other. @returns what is wrong with what they know of it, after each
 * step
 */
export async function sumProblems(steps: readonly SumStep[]): Promise<readonly string[]> {
  const devices = [0, 1].map((): Device => {
    const backend = createMemoryBackend()
    return { backend, store: createSessionStore(backend) }
  })
  let said = 0
  const message = (role: string) => ({
    type: 'message' as const,
    message: {
      role,
      content: `${'x'.repeat((said * 7) % 23)} ${said++}`,
      ...(role === 'assistant' && said % 3 === 0
        ? { tool_calls: [{ id: `call ${said}`, type: 'function', function: { name: 'f', arguments: '{}' } }] }
        : {}),
    },
  })
  for (const [who, kind, which, at] of steps) {
    const { store } = devices[who % 2]!
    const other = devices[(who + 1) % 2]!
    await take(store, other.store, kind, which, at, message)
    for (const device of devices) {
      const problems = await problemsOf(device)
      if (problems.length > 0) return problems.map((problem) => `after ${kind}: ${problem}`)
    }
  }
  return []
}

async function take(
  store: SessionStore,
  other: SessionStore,
  kind: number,
  which: number,
  at: number,
  message: (role: string) => { type: 'message'; message: { role: string; content: string } },
): Promise<void> {
  const lines = (await store.listBranches(key)).map(({ id }) => id)
  const line = lines[which % Math.max(1, lines.length)]
  if (kind < 30 || line === undefined)
    return void (await store.append(
      key,
      Array.from({ length: 1 + (at % 7) }, (_, i) => message(i === 0 && which % 2 === 0 ? 'user' : 'assistant')),
    ))
  if (kind < 36) return void (await store.append(key, [message('assistant')], { branch: line }))
  if (kind < 46) {
    for (let cursor: string | undefined; ; ) {
      const page = await store.changes(key, {}, cursor)
      await other.merge(key, page.entries)
      cursor = page.next
      if (cursor === undefined) return
    }
  }
  const { entries } = await store.read(key, { branch: line, view: 'raw', after: '', limit: 4096 })
  const entry = entries[(at * 7 + which) % Math.max(1, entries.length)]
  if (kind < 58) return entry && void (await store.openBranch(key, { after: entry, head: which % 3 > 0 }))
  if (kind < 66) return store.switchBranch(key, line)
  if (kind < 71)
    return entry?.message && store.edit(key, entry, { role: which % 2 === 0 ? 'user' : 'assistant', content: 'edited' })
  if (kind < 76) return entry && void (await store.remove(key, entry))
  if (kind < 79) return store.truncateHistory(key, at)
  if (kind < 82)
    return entry && void (await store.setCompaction(key, { summary: 'short', firstKept: entry, branch: line }))
  if (kind < 85) return void (await store.checkpoint(key))
  if (kind < 90) {
    const checkpoints = await store.listCheckpoints(key)
    const one = checkpoints[which % Math.max(1, checkpoints.length)]
    return one && void (await store.restoreCheckpoint(key, one.id))
  }
  if (kind < 92) return void (await store.reclaim(key))
  if (kind < 94)
    return store.setHistory(
      key,
      entries.slice(at % 3).flatMap((one) => (one.message === undefined ? [] : [one.message])),
    )
  if (kind < 96) return line === '' ? undefined : store.deleteBranch(key, line)
  if (kind < 98) return void (await store.repair(key))
  return store.delete(key)
}

async function problemsOf({ backend, store }: Device): Promise<readonly string[]> {
  const rows = await backend.loadSession(key)
  if (rows === undefined) return []
  const problems = (await store.verify(key)).problems.map(({ message }) => message)
  const title = rows.hot.auto
  const shown = (await store.read(key, { after: '', limit: 4096 })).entries.find(
    ({ message }) => message?.role === 'user',
  )
  if (rows.hot.deletedAt === undefined && title?.order !== shown?.order)
    problems.push(`the title is taken from ${title?.order}, the first question is ${shown?.order}`)
  for (const problem of await viewProblems(backend, store, rows)) problems.push(problem)
  for (const [branch, lane] of Object.entries(rows.cold.lanes))
    for (const problem of await laneProblems(backend, rows, branch, lane)) problems.push(problem)
  return problems
}

/** What the head line shows, and its tail, which a page is read by. */
async function viewProblems(
  backend: Device['backend'],
  store: SessionStore,
  rows: SessionRows,
): Promise<readonly string[]> {
  const { hot, cold } = rows
  if (hot.deletedAt !== undefined) return []
  const problems: string[] = []
  const all = (await Promise.all(lanesOf(rows).map((lane) => readLane(backend, hot.session, lane, ''))))
    .flat()
    .map(bareEntry)
  const fold = foldEntries(all)
  for (const view of ['transcript', 'context'] as const) {
    const right = foldView(fold, hot.head, view)
      .map(({ w, s }) => entryId(w, s))
      .join(' ')
    const shown = (await store.read(key, { view, after: '', limit: 4096 })).entries.map(({ id }) => id).join(' ')
    if (shown !== right) problems.push(`the ${view} shows ${shown}, and should ${right}`)
  }
  const line = lineOf(cold, hot.head)!
  const ids = (await readWholeLine(backend, rows, line, 'raw'))
    .filter((row) => isSeen(line, row))
    .map(({ w, s }) => entryId(w, s))
  for (const [i, seen] of [hot.seen, (await countSeen(backend, rows, line))?.seen].entries()) {
    const checksum = seen && createSeenCounter(seen).total({}, emptyCold).checksum
    if (seen !== undefined && (checksum !== sha256(ids) || seen.messages !== ids.length))
      problems.push(
        `${i === 0 ? 'what is known to be' : 'what was counted as'} seen has ${seen.messages} messages, the line has ${ids.length}`,
      )
  }
  for (const one of Object.values(cold.checkpoints)) problems.push(...((await seenBy(backend, rows, one)) ?? []))
  const tail = await readTail(backend, rows, lineOf(cold, hot.head)!)
  if (hot.tail !== undefined && JSON.stringify({ ...hot.tail, lineEnd: hot.lineEnd }) !== JSON.stringify(tail))
    problems.push(`the tail is ${JSON.stringify(hot.tail)}, and should be ${JSON.stringify(tail)}`)
  if (canonicalJson(cold.newer) !== canonicalJson(fold.cold.newer))
    problems.push(`newer is ${JSON.stringify(cold.newer)}, and should be ${JSON.stringify(fold.cold.newer)}`)
  return problems
}

/** What a checkpoint would show now, counted from a mark on and row by row. */
async function seenBy(
  backend: Device['backend'],
  rows: SessionRows,
  { branch, order, vv, clock }: CheckpointRow,
): Promise<readonly string[] | undefined> {
  const line = lineAt(rows.cold, { branch, order, vv, cuts: clock })
  if (line === undefined) return undefined
  const ids = (await readWholeLine(backend, rows, line, 'raw'))
    .filter((row) => isSeen(line, row))
    .map(({ w, s }) => entryId(w, s))
  const { seen } = (await countSeen(backend, rows, line))!
  return createSeenCounter(seen).total({}, emptyCold).checksum === sha256(ids)
    ? undefined
    : [`the checkpoint of ${clock} was counted as ${seen.messages} messages, and has ${ids.length}, or others`]
}

async function laneProblems(
  backend: Device['backend'],
  rows: SessionRows,
  branch: string,
  lane: number,
): Promise<readonly string[]> {
  const { hot, cold } = rows
  const stored = (await readLane(backend, hot.session, lane, '')).filter(({ w, s }) => !inRanges(cold.purged, w, s))
  const problems: string[] = []
  for (const level of [0, 1] as const) {
    let end = ''
    for (const block of await readBlocks(backend, hot, lane, level, '', '~')) {
      if (block.from < end) problems.push(`blocks of ${sumsLane(lane, level)} overlap at ${block.from}`)
      end = block.end
      problems.push(
        ...differences(
          `block ${block.key} of level ${level}`,
          block,
          stored.filter(({ order }) => order > block.from && order <= block.end),
        ),
      )
    }
  }
  if (branch === hot.head && hot.open !== undefined) {
    const { after } = hot.open
    problems.push(
      ...differences(
        'the open block',
        hot.open,
        stored.filter(({ order }) => order > after),
      ),
    )
  }
  return problems
}

function differences(name: string, sum: RowSum & Partial<BlockSum>, rows: readonly StoredEntry[]): string[] {
  const right = rows.reduce((all, row) => addRow(all, row), emptySum)
  // Ranges of writers may be too large, and the newest time too new: what was there is gone.
  const isCovered = Object.entries(right.writers).every(
    ([writer, [first, next]]) =>
      sum.writers[writer] !== undefined && sum.writers[writer][0] <= first && sum.writers[writer][1] >= next,
  )
  const said = (one: RowSum): string => JSON.stringify([one.rows, one.shown, one.messages, one.tokens, one.questions])
  if (said(sum) !== said(right)) return [`${name} says ${said(sum)}, its rows ${said(right)}`]
  if (sum.last !== undefined && sum.last !== (rows.at(-1)?.order ?? ''))
    return [`${name} ends at ${sum.last}, its rows at ${rows.at(-1)?.order}`]
  return isCovered
    ? []
    : [`${name} has writers ${JSON.stringify(sum.writers)}, its rows ${JSON.stringify(right.writers)}`]
}
