import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import { writerKey } from '../../../domain/address.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import { nextSequence } from '../../../domain/work.ts'
import type { Writer } from '../../../domain/writer.ts'
import { settlePlan } from '../upkeep/review-rows.ts'
import type { CommitQueue } from './commit-queue.ts'
import { finishPlan } from './finish-plan.ts'
import { attemptLimit, lostRace, pauseBefore } from './lost-race.ts'
import type { Pending } from './mutation.ts'
import type { OperationLookup } from './operation-lookup.ts'
import { beginPlan, isEmptyPlan, type Plan } from './plan.ts'
import { type Planned, planAll, staysHere } from './plan-calls.ts'
import type { CachedSession, SessionStates } from './session-states.ts'
import { settleRepeated } from './settle-repeated.ts'
import { strictest } from './strictest.ts'

export interface GroupParts {
  readonly backend: CoreBackend
  readonly states: SessionStates
  readonly queue: CommitQueue
  readonly lookup: OperationLookup
  /** Whether an operation id can't have been stored before this store was opened. */
  readonly isFresh: (operationId: string) => boolean
  readonly requeue: (key: string, pending: Pending) => void
  readonly now: () => number
  /** A 53-bit random integer. */
  readonly randomInteger: () => number
  readonly onCommit: (plan: Plan, rows: SessionRows, durability: Durability) => void
}

/** Plans and stores a group of calls of one session in one commit, and settles each of them. */
export type StoreGroup = (key: string, group: readonly Pending[]) => Promise<void>

export function createGroupStore(parts: GroupParts): StoreGroup {
  const { backend, states, queue, lookup, isFresh, now, randomInteger, onCommit } = parts

  /** Commits a plan and settles its calls. @returns the calls that must be planned again */
  const commit = async (state: CachedSession, plan: Plan, done: readonly Planned[]): Promise<readonly Pending[]> => {
    const planned = done.map(({ pending }) => pending)
    await settlePlan(backend, plan)
    const { rows, write } = finishPlan(plan)
    const durability = strictest(planned.map(({ mutation }) => mutation.durability))
    // A mutation with a term is alone in its group.
    const term = planned[0]?.mutation.term
    const isUnconditional = term === undefined && planned.every(({ mutation }) => holdsAnyway(mutation, isFresh))
    const given = { ...write, ...(term === undefined ? {} : { term }), ...(isUnconditional ? { isUnconditional } : {}) }
    if ((await queue.commit(given, durability)) !== 'stored') {
      state.rows = undefined
      return planned
    }
    state.rows = rows
    state.writer = plan.writer
    state.written = rows.hot.session
    for (const { id } of plan.operations) lookup.remember(id)
    onCommit(plan, rows, durability)
    for (const { pending, result } of done) pending.resolve(result)
    return []
  }

  /**
   * Tries once to plan and store a group. Calls that refuse to be planned are rejected. @returns the calls that must be
   * planned again
   */
  const attempt = async (key: string, group: readonly Pending[], isFirst: boolean): Promise<readonly Pending[]> => {
    const state = states.of(key)
    const wereCached = state.rows !== undefined
    const stored = await states.load(key)
    // After a purge the sequence numbers begin again, and no address may be used twice.
    if (stored === undefined || isOtherSession(stored, state) || isPurgedAhead(stored, state.writer))
      state.writer = { w: randomInteger() }
    const base = stored ?? emptyRows(key, randomInteger())
    const { promotedTo } = base.hot
    const here = isFirst || promotedTo === undefined ? group : group.filter((one) => staysHere(one, promotedTo))
    const members = await settleRepeated(parts, key, base, here)
    if (members === undefined) {
      state.rows = undefined
      return here
    }
    if (members.length > 1 && members.some((member) => needsFacts(member, base, state.writer))) {
      // Another tab changed what these calls depend on. Now each of them must read facts of its own.
      for (const member of members) await store(key, [member])
      return []
    }
    const [first] = members
    if (first === undefined) return []
    const facts = needsFacts(first, base, state.writer) ? await first.mutation.prepare!(base, state.writer) : undefined
    const time = now()
    const { plan, done } = planAll(() => beginPlan(base, state.writer, time), members, facts)
    if (isEmptyPlan(plan)) {
      // Nothing is stored, so that nothing would notice that another tab wrote meanwhile.
      if (wereCached && first.mutation.prepare !== undefined && done.length > 0) {
        state.rows = undefined
        return done.map(({ pending }) => pending)
      }
      for (const { pending, result } of done) pending.resolve(result)
      return []
    }
    try {
      return await commit(state, plan, done)
    } catch (error) {
      state.rows = undefined
      if (done.length === 1) done[0]!.pending.reject(error)
      // Each call gets a commit of its own, so that only the one at fault rejects.
      else for (const { pending } of done) await store(key, [pending])
    }
    return []
  }

  const store: StoreGroup = async (key, group) => {
    let left = group
    for (let round = 0; left.length > 0 && round < attemptLimit; round++) {
      await pauseBefore(round, randomInteger)
      left = await attempt(key, left, round === 0)
    }
    for (const pending of left) pending.reject(lostRace(key))
  }

  return store
}

/**
 * Whether the result of a call stays as planned whatever other tabs stored meanwhile. An operation id that another tab
 * may use as well must be looked up in the transaction's rows.
 */
function holdsAnyway({ isUnconditional, operation }: Pending['mutation'], isFresh: GroupParts['isFresh']): boolean {
  return isUnconditional === true && (operation === undefined || isFresh(operation.id))
}

/** Whether a call must read facts before it can be planned. Such a call has a commit of its own. */
export function needsFacts({ mutation }: Pending, rows: SessionRows, writer: Writer): boolean {
  return mutation.prepare !== undefined && (mutation.needs?.(rows, writer) ?? true)
}

/** Whether a session was begun anew, by somebody else, since this writer wrote to the one that had its key. */
function isOtherSession(rows: SessionRows, { written, writer }: CachedSession): boolean {
  return written !== undefined && written !== rows.hot.session && nextSequence(rows, writer.w) === 0
}

/**
 * Whether sequence numbers that this writer has yet to use were purged. An entry with one of them would vanish as soon
 * as it is stored.
 */
function isPurgedAhead(rows: SessionRows, { w }: Writer): boolean {
  return (rows.cold.purged[writerKey(w)]?.at(-1)?.[1] ?? 0) > nextSequence(rows, w)
}
