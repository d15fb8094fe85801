import type { CoreBackend } from '../../../contract/backend.ts'
import type { SequenceRanges } from '../../../contract/entry.ts'
import type { AnsweredWrite, MarkStep } from '../../../contract/journal.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { writerKey } from '../../../domain/address.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import { inRanges, joinRanges, rangesOf, withoutEntry, withoutRanges } from '../../../domain/version-vector.ts'
import { changeCold, nextSequence } from '../../../domain/work.ts'
import { hasLogOf } from '../names/has-log-of.ts'
import { settlePlan } from '../upkeep/review-rows.ts'
import { isMadeBy } from './append-receipts.ts'
import { type FinishedPlan, finishPlan } from './finish-plan.ts'
import { attemptLimit, lostRace, pauseBefore } from './lost-race.ts'
import { beginPlan, isEmptyPlan, type Plan, planControl, takeIn } from './plan.ts'

export interface ArrivalParts {
  readonly backend: CoreBackend
  readonly now: () => number
  /** A 53-bit random integer. */
  readonly randomInteger: () => number
  /** Entries arrived in a session. */
  readonly onArrived: (plan: Plan, rows: SessionRows) => void
  /** A session was erased for good, and the entries with it. @param newest - the last version that was answered */
  readonly onGone: (gone: Pick<AnsweredWrite, 'key' | 'session'>, newest: number) => void
}

/**
 * Stores entries of one session that were answered before the database had them, although somebody else wrote to the
 * session in the meantime. They keep their addresses and places, as entries that come from another device do; only the
 * rows are counted again. If another session took over the log, they arrive there.
 *
 * @param mark - how far the database has their journal with them, and before. Whoever stores more of it stores them,
 *   too, and they may have been erased since. The mark is also stored if nothing is left to store
 * @returns false when the database has another mark, so that nothing was stored
 */
export type ArriveAnswered = (answered: readonly AnsweredWrite[], mark: MarkStep) => Promise<boolean>

export function createArrival({ backend, now, randomInteger, onArrived, onGone }: ArrivalParts): ArriveAnswered {
  /** @returns whether they are stored; `undefined` when the mark is another one */
  const attempt = async (all: readonly AnsweredWrite[], mark: MarkStep): Promise<boolean | undefined> => {
    const [{ key }] = all as readonly [AnsweredWrite]
    const { stored, numbers } = await findLog(key)
    // Where nothing is stored, what was written to a session that was erased is gone with it.
    const answered = stored === undefined ? fromCreation(all) : all
    const [first] = answered
    if (first === undefined) {
      onGone(all[0]!, newestOf(all))
      return markOnly(mark)
    }
    const base = stored === undefined ? emptyRows(first.key, first.session) : aheadOf(stored, newestOf(answered))
    const plan = beginPlan(base, { w: 0 }, now())
    plan.isMerge = true
    const taken: StoredEntry[] = []
    const leftOut: StoredEntry[] = []
    for (const write of answered) {
      if (stored !== undefined && !isOfLog(write, stored, numbers)) continue
      const { fresh, repeated } = await sortOut(plan, write.operations)
      for (const entry of write.entries)
        (repeated.some((operation) => isMadeBy(operation, entry)) ? leftOut : taken).push(entry)
      remember(plan, fresh)
    }
    const isHere = ({ w, s }: StoredEntry): boolean =>
      s < nextSequence(plan.work, w) && !inRanges(plan.work.cold.lost ?? {}, w, s)
    const missing = leftOut.filter((entry) => !isHere(entry))
    purgePlaces(plan, withoutRanges(rangesOf(missing), rangesOf(taken)), randomInteger)
    takeEntries(plan, taken)
    if (isEmptyPlan(plan)) return markOnly(mark)
    await settlePlan(backend, plan)
    const finished = finishPlan(plan)
    const { rows, write } = stored === undefined ? createdAt(finished, newestOf(answered) + 1) : finished
    const outcome = await backend.commit(
      { sessions: [{ ...write, since: stored?.hot.version ?? 0 }], erase: [], journal: mark },
      'relaxed',
    )
    if (outcome.stored) onArrived(plan, rows)
    return outcome.stored || outcome.stale.length > 0 ? outcome.stored : undefined
  }

  const markOnly = async (mark: MarkStep): Promise<boolean | undefined> =>
    (await backend.commit({ sessions: [], erase: [], journal: mark }, 'relaxed')).stored || undefined

  /**
   * The rows of the session that has the log now, and the numbers of all sessions that have had it. As for names, a
   * session that was erased since has no log, nor has one that gave up the key; two devices can promote two sessions to
   * each other.
   */
  async function findLog(
    key: string,
  ): Promise<{ readonly stored: SessionRows | undefined; readonly numbers: Set<number> }> {
    const own = await backend.loadSession(key)
    const numbers = new Set<number>()
    for (let rows = own; rows !== undefined && !numbers.has(rows.hot.session); ) {
      numbers.add(rows.hot.session)
      if (rows.hot.promotedTo === undefined) return { stored: hasLogOf(rows, key) ? rows : own, numbers }
      rows = await backend.loadSession(rows.hot.promotedTo)
    }
    return { stored: own, numbers }
  }

  /**
   * Tells the operations that are not known yet (their entries may have come by another way, without them) from those
   * that were done again while nobody could read the journal. What these made here is stored under other addresses.
   */
  async function sortOut(plan: Plan, operations: readonly OperationRow[]) {
    const { hot } = plan.base
    const fresh: OperationRow[] = []
    const repeated: OperationRow[] = []
    for (const operation of operations) {
      const known =
        hot.recent.find(({ id }) => id === operation.id) ??
        (hot.version > 0 ? await backend.findOperation(hot.session, operation.id) : undefined)
      if (known === undefined) fresh.push(operation)
      else if (isElsewhere(known, operation)) repeated.push(operation)
    }
    return { fresh, repeated }
  }

  return async (answered, mark) => {
    if (answered.length === 0) return true
    for (let round = 0; round < attemptLimit; round++) {
      await pauseBefore(round, randomInteger)
      const isStored = await attempt(answered, mark)
      if (isStored !== false) return isStored === true
    }
    throw lostRace(answered[0]!.key)
  }
}

/** The last version that was answered. */
const newestOf = (answered: readonly AnsweredWrite[]): number =>
  answered.reduce((most, { since }) => Math.max(most, since + 1), 0)

/**
 * The stored rows with a version above all that were answered, so that no plan which was made on an answered one can be
 * taken for a plan on these.
 */
function aheadOf({ hot, cold }: SessionRows, newest: number): SessionRows {
  return { hot: { ...hot, version: Math.max(hot.version, newest) }, cold }
}

/** The same for a session that they create. */
function createdAt({ rows, write }: FinishedPlan, version: number): FinishedPlan {
  const hot = { ...rows.hot, version, coldVersion: version }
  const cold = { ...rows.cold, version }
  return { rows: { hot, cold }, write: { ...write, hot, cold } }
}

/** What was answered from the newest creation of the session on. */
const fromCreation = (answered: readonly AnsweredWrite[]): readonly AnsweredWrite[] => {
  const at = answered.findLastIndex(({ since }) => since === 0)
  return at < 0 ? [] : answered.slice(at)
}

/**
 * Whether a write belongs to the log that is stored. A session that was erased and begun anew has nothing of the one
 * before; one that took over a log has its writers. Where two tabs began a session at once, the one that was slower
 * continues in the other's.
 *
 * @param numbers - of the sessions that have had the log; that of a session which is begun by the write joins them
 */
function isOfLog({ session, since, entries }: AnsweredWrite, stored: SessionRows, numbers: Set<number>): boolean {
  if (since === 0) numbers.add(session)
  return numbers.has(session) || entries.some(({ w }) => nextSequence(stored, w) > 0)
}

const isElsewhere = ({ made }: OperationRow, { made: here }: OperationRow): boolean =>
  made !== undefined && here !== undefined && (made.w !== here.w || made.s !== here.s)

function remember(plan: Plan, operations: readonly OperationRow[]): void {
  for (const operation of operations)
    plan.operations.push({ ...operation, n: plan.work.hot.operations + plan.operations.length })
}

/**
 * Tells other devices that nothing will ever come in these places, also where nothing is behind them yet: the same
 * writer's next entries may be in another journal, or be taken in later.
 */
function purgePlaces(plan: Plan, places: SequenceRanges, randomInteger: () => number): void {
  const ranges = withoutRanges(places, plan.work.cold.purged)
  if (Object.keys(ranges).length === 0) return
  plan.writer = { w: randomInteger() }
  planControl(plan, 'purge', { ranges: ranges as unknown as JsonObject }, '')
}

function takeEntries(plan: Plan, entries: readonly StoredEntry[]): void {
  for (const entry of entries) {
    const next = nextSequence(plan.work, entry.w)
    const isLost = inRanges(plan.work.cold.lost ?? {}, entry.w, entry.s)
    if (entry.s < next && !isLost) continue
    if (inRanges(plan.work.cold.purged, entry.w, entry.s)) continue
    if (entry.s > next) loseGap(plan, entry, next)
    const { bytes, ...bare } = entry
    takeIn(plan, bare, bytes)
    if (isLost) changeCold(plan.work, { lost: withoutEntry(plan.work.cold.lost ?? {}, entry.w, entry.s) })
  }
}

/** Entries before this one are missing here. They are accepted when they are found elsewhere, unless they are purged. */
function loseGap(plan: Plan, { w, s }: StoredEntry, next: number): void {
  const missing = withoutRanges({ [writerKey(w)]: [[next, s]] }, plan.work.cold.purged)
  if (Object.keys(missing).length > 0) changeCold(plan.work, { lost: joinRanges(plan.work.cold.lost ?? {}, missing) })
}
