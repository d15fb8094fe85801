import type { CoreBackend, RangeRead } from '../contract/backend.ts'
import { isSessionError } from '../contract/errors.ts'
import type { AnsweredWrite, JournalMark } from '../contract/journal.ts'
import type { SessionRows } from '../contract/rows.ts'
import type { Durability } from '../contract/store/write-options.ts'
import type { CommitOutcome, WriteBatch } from '../contract/write-batch.ts'
import { joinMarks, noMark } from '../domain/journal-mark.ts'
import type { ArriveAnswered } from '../storage/engine/writing/arrive-answered.ts'
import { isHard } from '../storage/engine/writing/strictest.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import { answeredWrite } from './answered-write.ts'
import { createFoldQueue, type FoldQueue } from './fold-queue.ts'
import { mirrorCommits } from './mirror-commits.ts'
import { textOfAnswered } from './mirrored-text.ts'
import type { OpenMirror } from './open-mirror.ts'
import { readWaiting, type WaitingReads } from './read-waiting.ts'
import { marksOf, storeAnswered, type WaitingWrite } from './store-answered.ts'

export interface JournalParts {
  readonly now: () => number
  /** Whether this worker knows what other tabs stored until now. Otherwise the database answers. */
  readonly isUpToDate: () => boolean
  /** Stores answered entries of one session on the rows that somebody else stored meanwhile. */
  readonly arrive: ArriveAnswered
  /** Called when the database begins to fail, and with `undefined` when it takes everything again. */
  readonly onHealth?: (error: unknown) => void
  /** How long answered writes wait for each other, in milliseconds. */
  readonly foldMs?: number
  /** How many times as much as is folded at once waits at most. */
  readonly mostWaiting?: number
}

export interface Journal<Backend extends CoreBackend>
  extends Pick<FoldQueue, 'answers' | 'missing' | 'some' | 'nextFold' | 'lag' | 'settle'> {
  readonly backend: Backend
  /** Somebody else wrote to a session: what was planned before its rows are read again must be planned again. */
  noteNews(key: string): void
}

const nothing: WriteBatch = { sessions: [], erase: [] }

/** The mark of a journal is stored at the latest after so many bytes, so that no opening has to read much. */
const markEvery = 2 ** 18

/** A transaction for each answered write would take the next one's time. */
const defaultFoldMs = 25

/**
 * A backend that answers a write when its frame is in the mirror's file, which is its journal. The database is the
 * index, which follows in groups. All other calls on a session, and all reads of it, wait until the index has what was
 * answered of that session, so that nobody can see the difference.
 *
 * When another tab wrote to a session first, an answered entry is not planned again: it arrives on the newer rows, as
 * an entry of another device does. When a group can't be stored, its frames stay in the journal, and it is tried again;
 * meanwhile the database answers.
 */
export function journalCommits<Backend extends CoreBackend>(
  backend: Backend & Pick<JournalMarks, 'listJournals'>,
  mirror: OpenMirror,
  { now, isUpToDate, arrive, onHealth = () => undefined, foldMs = defaultFoldMs, mostWaiting }: JournalParts,
): Journal<Backend> {
  const mirrored = mirrorCommits(backend, mirror)
  /** How far the database has this worker's journals. The content of others would not be looked for. */
  const marks = new Map<string, JournalMark>()
  const parts = { backend, arrive, marks }
  const commitMarked = commitsWithMarks(mirrored, marks)
  const queue = createFoldQueue({ store: (group) => storeAnswered(parts, group), foldMs, onHealth, mostWaiting })
  /** Sessions that others wrote to since their rows were read. */
  const outdated = new Set<string>()

  function answer(batch: WriteBatch): CommitOutcome | undefined {
    const end = mirror.end()
    if (end === undefined || !marks.has(end.boot) || !queue.isWell() || !isUpToDate()) return undefined
    // Whoever writes faster than the database stores waits for it from here on.
    if (queue.isOverfull()) return undefined
    if (batch.erase.length > 0 || batch.rows !== undefined || batch.sealedWith !== undefined) return undefined
    const all: AnsweredWrite[] = []
    for (const write of batch.sessions) {
      const answered = answeredWrite(write)
      if (answered === undefined) return undefined
      all.push(answered)
    }
    const stale = all.map(({ key }) => key).filter((key) => outdated.delete(key))
    if (stale.length > 0) return { stored: false, stale }
    const ends = mirror.journal(all.map(textOfAnswered))
    if (ends === undefined) return undefined
    queue.add(all.map((answered, i) => ({ write: batch.sessions[i]!, answered, mark: ends[i]!, at: now() })))
    return { stored: true }
  }

  async function commitThrough(batch: WriteBatch, durability: Durability): Promise<CommitOutcome> {
    const keys = new Set(batch.sessions.map(({ hot }) => hot.key))
    await queue.settle(({ answered }) => keys.has(answered.key))
    const erased = new Set(batch.erase.map(({ key }) => key))
    // What can't be stored now is erased with its session: this may be what makes room.
    await queue.settle(({ answered }) => erased.has(answered.key))?.catch(() => undefined)
    // A strict commit makes everything durable that was answered before it (law B5). A session that the database does
    // not take must not keep the others from theirs: `flush` rejects with it.
    if (isHard(durability)) await queue.settle(() => true)?.catch(() => undefined)
    // A fold that is under way would bring back what is erased now.
    return erased.size > 0
      ? queue.alone(() => commitNow(batch, durability, erased))
      : commitNow(batch, durability, erased)
  }

  async function commitNow(
    batch: WriteBatch,
    durability: Durability,
    erased: ReadonlySet<string>,
  ): Promise<CommitOutcome> {
    const end = mirror.end()
    const isDue = end !== undefined && end.upTo - (marks.get(end.boot)?.upTo ?? -Infinity) > markEvery
    // What is erased before the database had it must not be found in the journal by the next start.
    const [gone, ...others] = marksOf(queue.find(({ answered }) => erased.has(answered.key)))
    // Before a journal answers, the database must know it.
    const journal = gone ?? (isDue && queue.isEmpty() ? end : undefined)
    const outcome = await commitMarked(batch, durability, journal)
    if (outcome.stored && erased.size > 0) {
      queue.drop(({ answered }) => erased.has(answered.key))
      // A mark that is not stored matters only if the worker dies before the frames are overwritten.
      for (const other of others) await commitMarked(nothing, 'relaxed', other).catch(() => undefined)
    }
    return outcome
  }

  return {
    backend: {
      ...mirrored,
      commit: async (batch: WriteBatch, durability: Durability) =>
        // After a power cut a browser may not find a young file any more, however well its content was flushed.
        (isHard(durability) ? undefined : answer(batch)) ?? commitThrough(batch, durability),
      ...readsOf(backend, queue, outdated),
      close: async () => {
        // What can't be stored now stays in the journal for the next start.
        await queue.settle(() => true)?.catch(() => undefined)
        queue.close()
        await mirrored.close()
      },
    },
    answers: queue.answers,
    missing: queue.missing,
    some: queue.some,
    nextFold: queue.nextFold,
    lag: queue.lag,
    settle: queue.settle,
    noteNews: (key) => void outdated.add(key),
  }
}

/** Stores a batch with the mark of a journal. Without room, an erasure goes through without it: this may make room. */
function commitsWithMarks(mirrored: Pick<CoreBackend, 'commit'>, marks: Map<string, JournalMark>) {
  return async (
    batch: WriteBatch,
    durability: Durability,
    journal: JournalMark | undefined,
  ): Promise<CommitOutcome> => {
    if (journal === undefined) return mirrored.commit(batch, durability)
    try {
      const outcome = await mirrored.commit({ ...batch, journal }, durability)
      if (outcome.stored) marks.set(journal.boot, joinMarks(marks.get(journal.boot) ?? noMark(journal.boot), journal))
      return outcome
    } catch (error) {
      if (batch.erase.length > 0 && isSessionError(error, 'QuotaExceeded')) return mirrored.commit(batch, durability)
      throw error
    }
  }
}

/**
 * The reads of a backend: each waits until the database has what was answered of its session. If it takes nothing, what
 * waits is shown on top of what is stored.
 */
function readsOf(backend: CoreBackend, queue: FoldQueue, outdated: Set<string>) {
  type IsMeant = (write: WaitingWrite) => boolean
  const ofSession =
    (session: number): IsMeant =>
    ({ answered }) =>
      answered.session === session
  /** @returns what the database still does not take */
  async function left(isMeant: IsMeant): Promise<WaitingReads | undefined> {
    try {
      await queue.settle(isMeant)
      return undefined
    } catch (error) {
      const waiting = queue.find(isMeant)
      return waiting.length === 0 ? undefined : readWaiting(waiting, error)
    }
  }
  /** @throws what the database throws, if others wrote to the session meanwhile: only it can join the rows */
  async function loadSession(key: string): Promise<SessionRows | undefined> {
    for (let tries = 1; ; tries++) {
      const waiting = await left(({ answered }) => answered.key === key)
      outdated.delete(key)
      const stored = await backend.loadSession(key)
      if (waiting === undefined) return stored
      const rows = waiting.rows(stored)
      if (rows !== undefined) return rows
      // They may have been stored since.
      if (tries === 3) throw waiting.error
    }
  }
  const all = (): Promise<void> | undefined => queue.settle(() => true)
  const { readPlaces, flush } = backend
  return {
    loadSession,
    listSessions: async (onDamaged?: (key: string) => void) => {
      // While the database takes nothing more, the list shows what it has.
      await all()?.catch(() => undefined)
      return backend.listSessions(onDamaged)
    },
    readRange: async (read: RangeRead) => {
      const waiting = await left(ofSession(read.session))
      const stored = await backend.readRange(read)
      return waiting === undefined ? stored : waiting.range(read, stored)
    },
    findByMid: async (session: number, mids: readonly string[]) => {
      const waiting = await left(ofSession(session))
      const stored = await backend.findByMid(session, mids)
      return waiting === undefined ? stored : waiting.byMid(mids, stored)
    },
    findOperation: async (session: number, id: string) => {
      const waiting = await left(ofSession(session))
      return waiting?.operation(id) ?? backend.findOperation(session, id)
    },
    ...(readPlaces && {
      readPlaces: async (asked: Parameters<typeof readPlaces>[0]) => {
        await all()
        return readPlaces(asked)
      },
    }),
    fold: async () => all(),
    ...(flush && {
      flush: async () => {
        await all()
        await flush()
      },
    }),
  } satisfies Partial<CoreBackend>
}
