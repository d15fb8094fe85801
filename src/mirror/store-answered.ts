import type { CoreBackend } from '../contract/backend.ts'
import { SessionError } from '../contract/errors.ts'
import type { AnsweredWrite, JournalMark, MarkStep } from '../contract/journal.ts'
import type { SessionWrite } from '../contract/write-batch.ts'
import { isMarked, joinMarks, noMark } from '../domain/journal-mark.ts'
import { pushAll } from '../domain/push-all.ts'
import type { ArriveAnswered } from '../storage/engine/writing/arrive-answered.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import { joinRun, splitIntoRuns } from './join-writes.ts'

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
  /** What the database is known to have of each journal of this worker. */
  readonly marks: Map<string, JournalMark>
}

/** The writes that could not be stored, and why. */
export interface LeftWrites {
  readonly left: readonly WaitingWrite[]
  readonly error?: unknown
}

/**
 * Stores a group of answered writes, and with it the mark of the last one. When that fails, it stores them session by
 * session, so that only those at fault are left; then the mark says of which sessions the database has more.
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
  // What is stored leaves it at once. It may be purged before the rest is tried again.
  const left = new Set(writes)
  try {
    await storeUpTo(parts, left, { boot, upTo })
    return { left: [] }
  } catch (error) {
    if (groupBy(writes, keyOf).length < 2) return { left: [...left], error }
  }
  const failed: WaitingWrite[] = []
  let reason: unknown
  for (const list of groupBy([...left], keyOf)) {
    const rest = new Set(list)
    try {
      await storeUpTo(parts, rest, { boot, upTo: 0 })
    } catch (error) {
      pushAll(failed, [...rest])
      reason = error
    }
  }
  if (failed.length > 0) return { left: failed.sort((a, b) => a.n - b.n), error: reason }
  // A mark that is not stored only makes the next opening read what is known.
  await storeUpTo(parts, new Set(), { boot, upTo }).catch(() => undefined)
  return { left: [] }
}

/**
 * Stores writes of one journal, and its mark. While this worker did not run, another one may have taken it for dead and
 * have stored more of its journal. Those writes are not stored again: they may have been erased since.
 *
 * @param left - each write leaves it as soon as the database has it
 */
async function storeUpTo(parts: AnsweredParts, left: Set<WaitingWrite>, mark: JournalMark): Promise<void> {
  const { backend, marks } = parts
  while (!(await storeUnlessMoved(parts, left, mark))) {
    const known = marks.get(mark.boot) ?? noMark(mark.boot)
    const stored = (await backend.listJournals()).find(({ boot }) => boot === mark.boot) ?? noMark(mark.boot)
    // Compared as text, because a damaged mark may have numbers that are not equal to themselves.
    if (JSON.stringify(stored) === JSON.stringify(known)) throw unreadableMark()
    marks.set(mark.boot, stored)
    for (const one of left) if (isMarked(stored, keyOf(one), one.mark.upTo)) left.delete(one)
  }
}

/** The error when the database refuses what comes after the very mark that it says it has. */
const unreadableMark = (): SessionError =>
  new SessionError(
    'StorageUnavailable',
    'The database does not say how much of the journal it has, so nothing more of it can be stored. It is tried again.',
  )

/**
 * Each session's writes joined, and those of a session that somebody else wrote to first as arrivals.
 *
 * @returns false when the mark in the database is not the one that this worker left
 */
async function storeUnlessMoved(
  { backend, arrive, marks }: AnsweredParts,
  left: Set<WaitingWrite>,
  { boot, upTo }: JournalMark,
): Promise<boolean> {
  /** A transaction with these writes. @returns whether it is done */
  const store = async (
    writes: readonly WaitingWrite[],
    reached: number,
    commit: (journal: MarkStep) => Promise<boolean>,
  ): Promise<boolean> => {
    const after = marks.get(boot) ?? noMark(boot)
    const mark = joinMarks(after, markOf(boot, writes, reached))
    if (!(await commit({ ...mark, after }))) return false
    marks.set(boot, mark)
    for (const one of writes) left.delete(one)
    return true
  }
  const arriveAll = (writes: readonly WaitingWrite[]): Promise<boolean> =>
    store(writes, 0, (journal) =>
      arrive(
        writes.map(({ answered }) => answered),
        journal,
      ),
    )
  // The runs of each session. Each has a transaction of its own, because it is planned on the one before.
  const runs = new Map<string, (readonly WaitingWrite[])[]>()
  for (const list of groupBy([...left], keyOf)) {
    if (isChain(list)) runs.set(keyOf(list[0]!), splitIntoRuns(list))
    else if (!(await arriveAll(list))) return false
  }
  for (;;) {
    const due = [...runs.values()].flatMap((list) => list.slice(0, 1))
    const isLast = [...runs.values()].every((list) => list.length <= 1)
    const sessions = due.map((run) => joinRun(run.map(({ write }) => write)))
    let stale: readonly string[] = []
    const isStored = await store(due.flat(), isLast ? upTo : 0, async (journal) => {
      const outcome = await backend.commit({ sessions, erase: [], journal }, 'relaxed')
      if (!outcome.stored) stale = outcome.stale
      return outcome.stored
    })
    if (isStored && isLast) return true
    if (isStored) for (const list of runs.values()) list.shift()
    else if (stale.length === 0) return false
    for (const key of stale) {
      const rest = runs.get(key)!.flat()
      runs.delete(key)
      if (!(await arriveAll(rest))) return false
    }
  }
}

const keyOf = ({ answered }: WaitingWrite): string => answered.key

/** What is added to the mark of each journal with these writes. */
export const marksOf = (writes: readonly WaitingWrite[]): readonly JournalMark[] =>
  groupBy(writes, ({ mark }) => mark.boot).map((list) => markOf(list[0]!.mark.boot, list))

const markOf = (boot: string, writes: readonly WaitingWrite[], upTo = 0): JournalMark => ({
  boot,
  upTo,
  ahead: writes.map((one) => [keyOf(one), one.mark.upTo]),
})

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
