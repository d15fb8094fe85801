import type { CoreBackend, SessionWrite } from '../contract/backend.ts'
import type { AnsweredWrite, JournalMark } from '../contract/journal.ts'
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
  readonly backend: Pick<CoreBackend, 'commit'>
  /** Stores answered entries of one session on the rows that somebody else stored meanwhile. */
  readonly arrive: (answered: readonly AnsweredWrite[]) => Promise<void>
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
  const sessions = [...bySession(group).values()]
  try {
    await storeSessions(parts, sessions, group.at(-1)?.mark)
    return { left: [] }
  } catch (error) {
    if (sessions.length < 2) return { left: group, error }
  }
  const failed = new Set<WaitingWrite>()
  let reason: unknown
  for (const list of sessions) {
    try {
      await storeSessions(parts, [list], undefined)
    } catch (error) {
      for (const one of list) failed.add(one)
      reason = error
    }
  }
  if (failed.size > 0) return { left: group.filter((one) => failed.has(one)), error: reason }
  // A mark that is not stored only makes the next opening read what is known.
  await storeSessions(parts, [], group.at(-1)?.mark).catch(() => undefined)
  return { left: [] }
}

/** Each session's writes joined, and those of a session that somebody else wrote to first as arrivals. */
async function storeSessions(
  { backend, arrive }: AnsweredParts,
  sessions: readonly (readonly WaitingWrite[])[],
  mark: JournalMark | undefined,
): Promise<void> {
  const arriveAll = (list: readonly WaitingWrite[]): Promise<void> => arrive(list.map(({ answered }) => answered))
  // The joined writes of each session. Each has a transaction of its own, because it is planned on the one before.
  const left = new Map<string, readonly SessionWrite[]>()
  for (const list of sessions) {
    if (isChain(list)) left.set(list[0]!.answered.key, joinWrites(list.map(({ write }) => write)))
    else await arriveAll(list)
  }
  for (let step = 0; ; ) {
    const writes = [...left.values()].flatMap((list) => list[step] ?? [])
    const isLast = [...left.values()].every((list) => list.length <= step + 1)
    if (writes.length === 0 && mark === undefined) return
    const outcome = await backend.commit(
      { sessions: writes, erase: [], ...(isLast && mark ? { journal: mark } : {}) },
      'relaxed',
    )
    if (outcome.stored && isLast) return
    if (outcome.stored) step++
    else
      for (const key of outcome.stale) {
        left.delete(key)
        await arriveAll(sessions.find((list) => list[0]!.answered.key === key)!)
      }
  }
}

function bySession(group: readonly WaitingWrite[]): ReadonlyMap<string, readonly WaitingWrite[]> {
  const sessions = new Map<string, WaitingWrite[]>()
  for (const one of group) {
    const known = sessions.get(one.answered.key)
    if (known === undefined) sessions.set(one.answered.key, [one])
    else known.push(one)
  }
  return sessions
}

/** Whether each write was planned on the one before. */
function isChain(list: readonly WaitingWrite[]): boolean {
  return list.every(({ answered }, i) => i === 0 || answered.since === list[i - 1]!.write.hot.version)
}
