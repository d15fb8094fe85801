import type { CoreBackend, SessionWrite } from '../contract/backend.ts'
import type { AnsweredWrite, JournalMark } from '../contract/journal.ts'
import { pushAll } from '../domain/push-all.ts'
import type { ArriveAnswered } from '../storage/engine/writing/arrive-answered.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import { joinWrites } from './join-writes.ts'

/** A write that was answered when the journal had it, and that the database does not have yet. */
export interface WaitingWrite {
  readonly write: SessionWrite
  readonly answered: AnsweredWrite
  /** How far the journal goes with it. */
  readonly mark: JournalMark
  /** Counts the answers of this worker. */
  readonly n: number
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number
}

export interface AnsweredParts {
  readonly backend: Pick<CoreBackend, 'commit'> & Pick<JournalMarks, 'listJournals'>
  /** Stores answered entries of one session on the rows that somebody else stored meanwhile. */
  readonly arrive: ArriveAnswered
  /** How many bytes of each journal of this worker the database is known to have. */
  readonly marks: Map<string, number>
}

/** The writes that could not be stored, and why. */
export interface LeftWrites {
  readonly left: readonly WaitingWrite[]
  readonly error?: unknown
}

/**
 * Stores a group of answered writes, and with it the mark of the last one. When that fails, it stores them session by
 * session, so that only those at fault are left; then the mark stays where it is.
 */
export async function storeAnswered(parts: AnsweredParts, group: readonly WaitingWrite[]): Promise<LeftWrites> {
  const left: WaitingWrite[] = []
  let error: unknown
  // A worker that had to begin another file has two journals.
  for (const writes of groupBy(group, ({ mark }) => mark.boot)) {
    const outcome = await storeOfJournal(parts, writes)
    pushAll(left, outcome.left)
    error ??= outcome.error
  }
  return { left, error }
}

async function storeOfJournal(parts: AnsweredParts, writes: readonly WaitingWrite[]): Promise<LeftWrites> {
  const { boot, upTo } = writes.at(-1)!.mark
  const sessions = groupBy(writes, ({ answered }) => answered.key)
  try {
    await storeUpTo(parts, writes, { boot, upTo })
    return { left: [] }
  } catch (error) {
    if (sessions.length < 2) return { left: writes, error }
  }
  const failed = new Set<WaitingWrite>()
  let reason: unknown
  for (const list of sessions) {
    try {
      await storeUpTo(parts, list, { boot, upTo: 0 })
    } catch (error) {
      for (const one of list) failed.add(one)
      reason = error
    }
  }
  if (failed.size > 0) return { left: writes.filter((one) => failed.has(one)), error: reason }
  // A mark that is not stored only makes the next opening read what is known.
  await storeUpTo(parts, [], { boot, upTo }).catch(() => undefined)
  return { left: [] }
}

/**
 * Stores writes of one journal, and its mark. While this worker did not run, another one may have taken it for dead and
 * have stored more of its journal. Those writes are not stored again: they may have been erased since.
 */
async function storeUpTo(parts: AnsweredParts, writes: readonly WaitingWrite[], mark: JournalMark): Promise<void> {
  for (let rest = writes; !(await storeUnlessMoved(parts, rest, mark)); ) {
    const stored = await storedUpTo(parts, mark.boot)
    parts.marks.set(mark.boot, stored)
    rest = rest.filter((one) => one.mark.upTo > stored)
  }
}

/**
 * Each session's writes joined, and those of a session that somebody else wrote to first as arrivals.
 *
 * @returns false when the mark in the database is not where this worker left it
 */
async function storeUnlessMoved(
  parts: AnsweredParts,
  writes: readonly WaitingWrite[],
  { boot, upTo }: JournalMark,
): Promise<boolean> {
  const { backend, marks } = parts
  const after = marks.get(boot) ?? 0
  const sessions = groupBy(writes, ({ answered }) => answered.key)
  const arriveAll = (list: readonly WaitingWrite[]): Promise<boolean> =>
    parts.arrive(
      list.map(({ answered }) => answered),
      { boot, upTo: after },
    )
  // The joined writes of each session. Each has a transaction of its own, because it is planned on the one before.
  const left = new Map<string, readonly SessionWrite[]>()
  for (const list of sessions) {
    if (isChain(list)) left.set(list[0]!.answered.key, joinWrites(list.map(({ write }) => write)))
    else if (!(await arriveAll(list))) return false
  }
  for (let step = 0; ; ) {
    const due = [...left.values()].flatMap((list) => list[step] ?? [])
    const isLast = [...left.values()].every((list) => list.length <= step + 1)
    const reached = isLast ? Math.max(after, upTo) : after
    const outcome = await backend.commit(
      { sessions: due, erase: [], journal: { boot, upTo: reached, after } },
      'relaxed',
    )
    if (outcome.stored && isLast) {
      marks.set(boot, reached)
      return true
    }
    if (outcome.stored) step++
    else if (outcome.stale.length === 0) return false
    else
      for (const key of outcome.stale) {
        left.delete(key)
        if (!(await arriveAll(sessions.find((list) => list[0]!.answered.key === key)!))) return false
      }
  }
}

async function storedUpTo({ backend }: AnsweredParts, boot: string): Promise<number> {
  return (await backend.listJournals()).find((mark) => mark.boot === boot)?.upTo ?? 0
}

/** The groups of a list, in the order of their first members. */
function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const known = groups.get(keyOf(one))
    if (known === undefined) groups.set(keyOf(one), [one])
    else known.push(one)
  }
  return [...groups.values()]
}

/** Whether each write was planned on the one before. */
function isChain(list: readonly WaitingWrite[]): boolean {
  return list.every(({ answered }, i) => i === 0 || answered.since === list[i - 1]!.write.hot.version)
}
