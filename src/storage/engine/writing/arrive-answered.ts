import type { AnsweredWrite } from '../../../contract/answered-write.ts'
import type { CoreBackend } from '../../../contract/backend.ts'
import type { OperationRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { writerKey } from '../../../domain/address.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import { inRanges, joinRanges, withoutEntry } from '../../../domain/version-vector.ts'
import { changeCold, nextSequence } from '../../../domain/work.ts'
import { settlePlan } from '../upkeep/review-rows.ts'
import { finishPlan } from './finish-plan.ts'
import { attemptLimit, lostRace, pauseBefore } from './lost-race.ts'
import { beginPlan, type Plan, planLine, takeIn } from './plan.ts'

export interface ArrivalParts {
  readonly backend: CoreBackend
  readonly now: () => number
  /** A 53-bit random integer. */
  readonly randomInteger: () => number
  /** Entries arrived in a session. */
  readonly onArrived: (plan: Plan, rows: SessionRows) => void
}

/**
 * Stores entries of one session that were answered before the database had them, although somebody else wrote to the
 * session in the meantime. They keep their places and addresses, as entries that come from another device do; only the
 * rows are counted again. If the history of the session moved to another one, they are appended there.
 */
export type ArriveAnswered = (answered: readonly AnsweredWrite[]) => Promise<void>

export function createArrival({ backend, now, randomInteger, onArrived }: ArrivalParts): ArriveAnswered {
  /** @returns whether it is done */
  const attempt = async (answered: readonly AnsweredWrite[]): Promise<boolean> => {
    const [first] = answered
    if (first === undefined) return true
    const stored = await backend.loadSession(first.key)
    // The session was erased for good, and they with it.
    if (stored === undefined && first.since > 0) return true
    const moved = stored?.hot.promotedTo
    const plan = moved === undefined ? planArrival(stored, answered) : await planMove(await findMoved(moved), answered)
    if (plan === undefined || plan.rows.length === 0) return true
    await settlePlan(backend, plan)
    const { rows, write } = finishPlan(plan)
    const since = moved === undefined ? (stored?.hot.version ?? 0) : plan.base.hot.version
    const outcome = await backend.commit({ sessions: [{ ...write, since }], erase: [] }, 'relaxed')
    if (outcome.stored) onArrived(plan, rows)
    return outcome.stored
  }

  function planArrival(stored: SessionRows | undefined, answered: readonly AnsweredWrite[]): Plan {
    const [first] = answered
    const base = stored === undefined ? emptyRows(first!.key, first!.session) : aheadOf(stored, answered)
    const plan = beginPlan(base, { w: 0 }, now())
    plan.isMerge = true
    for (const write of answered) takeWrite(plan, write, stored)
    return plan
  }

  /** The rows of the session that has the history now. */
  async function findMoved(key: string): Promise<SessionRows | undefined> {
    const rows = await backend.loadSession(key)
    return rows?.hot.promotedTo === undefined ? rows : findMoved(rows.hot.promotedTo)
  }

  async function planMove(
    rows: SessionRows | undefined,
    answered: readonly AnsweredWrite[],
  ): Promise<Plan | undefined> {
    if (rows === undefined) return undefined
    const plan = beginPlan(rows, { w: randomInteger() }, now())
    for (const { entries, operations } of answered) {
      const [operation] = operations
      if (operation !== undefined && (await isKnown(rows, operation.id))) continue
      for (const { type, data, at, bytes } of entries) planLine(plan, { type, data, at }, bytes, plan.work.hot.head)
      remember(plan, operations)
    }
    return plan
  }

  async function isKnown({ hot }: SessionRows, id: string): Promise<boolean> {
    return hot.recent.some((one) => one.id === id) || (await backend.findOperation(hot.session, id)) !== undefined
  }

  return async (answered) => {
    for (let round = 0; round < attemptLimit; round++) {
      await pauseBefore(round, randomInteger)
      if (await attempt(answered)) return
    }
    throw lostRace(answered[0]!.key)
  }
}

/**
 * The stored rows with a version above all that were answered, so that no plan which was made on an answered one can be
 * taken for a plan on these.
 */
function aheadOf({ hot, cold }: SessionRows, answered: readonly AnsweredWrite[]): SessionRows {
  const newest = answered.reduce((most, { since }) => Math.max(most, since + 1), hot.version)
  return { hot: { ...hot, version: newest }, cold }
}

function takeWrite(
  plan: Plan,
  { session, since, entries, operations }: AnsweredWrite,
  stored: SessionRows | undefined,
): void {
  const before = plan.rows.length
  // A session that was erased and begun anew has nothing of the one that they belong to.
  const isOther = stored !== undefined && stored.hot.session !== session
  for (const entry of entries) {
    const next = nextSequence(plan.work, entry.w)
    const isLost = inRanges(plan.work.cold.lost ?? {}, entry.w, entry.s)
    if ((entry.s < next && !isLost) || (isOther && entry.s > next && since > 0)) continue
    if (inRanges(plan.work.cold.purged, entry.w, entry.s)) continue
    if (entry.s > next) loseGap(plan, entry, next)
    const { bytes, ...bare } = entry
    takeIn(plan, bare, bytes)
    if (isLost) changeCold(plan.work, { lost: withoutEntry(plan.work.cold.lost ?? {}, entry.w, entry.s) })
  }
  if (plan.rows.length > before) remember(plan, operations)
}

function remember(plan: Plan, operations: readonly OperationRow[]): void {
  for (const operation of operations)
    plan.operations.push({ ...operation, n: plan.work.hot.operations + plan.operations.length })
}

/** Entries before this one are missing here. They are accepted when they are found elsewhere. */
function loseGap(plan: Plan, { w, s }: StoredEntry, next: number): void {
  changeCold(plan.work, { lost: joinRanges(plan.work.cold.lost ?? {}, { [writerKey(w)]: [[next, s]] }) })
}
