import type { AnsweredWrite } from '../contract/answered-write.ts'
import type { CoreBackend, JournalMark, SessionWrite } from '../contract/backend.ts'
import { joinWrites } from './join-writes.ts'

/** A write that was answered when the journal had it, and that the database does not have yet. */
export interface WaitingWrite {
  readonly write: SessionWrite
  readonly answered: AnsweredWrite
  /** How far the journal goes with it. */
  readonly mark: JournalMark
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number
}

/**
 * Stores a group of answered writes, with the mark of the last one: each session's writes joined, and those of a session
 * that somebody else wrote to first as arrivals.
 */
export async function storeAnswered(
  backend: Pick<CoreBackend, 'commit'>,
  group: readonly WaitingWrite[],
  arrive: (answered: readonly AnsweredWrite[]) => Promise<void>,
): Promise<void> {
  const last = group.at(-1)
  if (last === undefined) return
  const sessions = bySession(group)
  const arriveAll = (key: string): Promise<void> => arrive(sessions.get(key)!.map(({ answered }) => answered))
  // The joined writes of each session. Each has a transaction of its own, because it is planned on the one before.
  const left = new Map<string, readonly SessionWrite[]>()
  for (const [key, list] of sessions) {
    if (isChain(list)) left.set(key, joinWrites(list.map(({ write }) => write)))
    else await arriveAll(key)
  }
  for (let step = 0; ; ) {
    const writes = [...left.values()].flatMap((list) => list[step] ?? [])
    const isLast = [...left.values()].every((list) => list.length <= step + 1)
    const outcome = await backend.commit(
      { sessions: writes, erase: [], ...(isLast ? { journal: last.mark } : {}) },
      'relaxed',
    )
    if (outcome.stored && isLast) return
    if (outcome.stored) step++
    else
      for (const key of outcome.stale) {
        left.delete(key)
        await arriveAll(key)
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
