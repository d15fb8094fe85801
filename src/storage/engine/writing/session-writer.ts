import type { CoreBackend } from '../../../contract/backend.ts'
import type { OperationRow, SessionRows } from '../../../contract/rows.ts'
import type { Durability } from '../../../contract/store.ts'
import type { TermOptions } from '../../../contract/term.ts'
import { writerKey } from '../../../domain/address.ts'
import { nextSequence } from '../../../domain/work.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import type { Writer } from '../../../domain/writer.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Plan } from './plan.ts'
import type { Mutation, Pending } from './mutation.ts'
import { createOperationLookup } from './operation-lookup.ts'
import { isContentGone, isSameCall } from './operation-memory.ts'
import { beginPlan, finishPlan, isEmptyPlan } from './plan.ts'
import { answerAgain, planAll, staysHere } from './plan-calls.ts'
import { settlePlan } from '../upkeep/review-rows.ts'
import { attemptLimit, overtaken } from './lost-race.ts'
import { strictest } from './strictest.ts'

export type { Mutation } from './mutation.ts'

/** What the writer keeps of a session between calls. */
export interface SessionState {
  /** `null` where there are none; `undefined` while nobody knows. */
  rows: SessionRows | null | undefined
  /** How often somebody else wrote: what was being read meanwhile may be of before. */
  news: number
  writer: Writer
}

export interface SessionWriterOptions {
  readonly backend: CoreBackend
  readonly queue: CommitQueue
  readonly now: () => number
  /** A 53-bit random integer. */
  readonly randomInteger: () => number
  /** Whether an operation id can't have been stored before this store was opened. */
  readonly isFresh: (operationId: string) => boolean
  /** Whether `forget` is called for what other stores on this place write; otherwise every look at a session reads it. */
  readonly isFollowed: boolean
  readonly onCommit: (plan: Plan, rows: SessionRows, durability: Durability) => void
}

export interface SessionWriter {
  /**
   * Queues a change; resolves when it is stored.
   *
   * @param elsewhere - does it instead when another tab moves the session's history to another session meanwhile (L20)
   */
  readonly run: <Facts, Result>(key: string, mutation: Mutation<Facts, Result>, elsewhere?: () => Promise<Result>) => Promise<Result>
  /**
   * Changes several sessions in one transaction, after what is queued for any. `draw` makes the plans, anew when another tab was faster; without
   * plans nothing is stored.
   *
   * @returns whether anything was
   */
  readonly runTogether: (keys: readonly string[], durability: Durability, draw: (begin: (key: string) => Promise<Plan>) => Promise<readonly Plan[] | undefined>, fence?: TermOptions) => Promise<boolean>
  /** The session's rows as stored; `undefined` when there is none. */
  readonly rows: (key: string) => Promise<SessionRows | undefined>
  /** The session's rows, when they are at hand. */
  readonly peek: (key: string) => SessionRows | undefined
  /** Does work on a session that is no mutation (purge, repair) between those that are; what is cached of it is old afterwards. */
  readonly alone: (key: string, task: () => Promise<void>) => Promise<void>
  /** Somebody else wrote: what is cached of the session is old, or of all sessions when nobody knows which. */
  readonly forget: (key?: string) => void
  /** Resolves when nothing is queued. */
  readonly idle: () => Promise<void>
}

/** Sessions whose state is kept; the least recently used go first. */
const statesKept = 256

/** Calls in one commit of one session. */
const groupLimit = 4096


/** Runs the changes of each session one after the other, as many to a commit as can be planned together. */
export function createSessionWriter(options: SessionWriterOptions): SessionWriter {
  const { backend, queue, now, randomInteger, isFresh, isFollowed, onCommit } = options
  const states = new Map<string, SessionState>()
  const queues = new Map<string, Pending[]>()
  const idlers: (() => void)[] = []
  /** Who waits for one session's queue to end. */
  const waiters: { readonly key: string; readonly resolve: () => void }[] = []
  const lookup = createOperationLookup({ backend, now, isFresh })

  const stateOf = (key: string): SessionState => {
    const state = states.get(key) ?? { rows: undefined, news: 0, writer: { w: randomInteger() } }
    states.delete(key)
    states.set(key, state)
    for (const [oldest] of states) {
      if (states.size <= statesKept) break
      if (queues.has(oldest)) continue
      states.delete(oldest)
    }
    return state
  }

  const load = async (key: string): Promise<SessionRows | undefined> => {
    const state = stateOf(key)
    if (state.rows !== undefined) return state.rows ?? undefined
    const { news } = state
    const rows = await backend.loadSession(key)
    if (state.rows === undefined && state.news === news) state.rows = rows ?? null
    return state.rows ?? rows
  }

  /**
   * Settles repeated operations. The same operation twice in one group: the second waits for the first.
   *
   * @returns what is left to do; `undefined` when another tab has changed the session meanwhile, so that nothing is sure of what it remembers
   */
  const withoutRepeated = async (key: string, rows: SessionRows, group: readonly Pending[]): Promise<readonly Pending[] | undefined> => {
    const asked = group.map(({ mutation: { operation }, since }) => operation && lookup.find(rows, operation.id, since))
    // Nearly always at hand, and a burst would wait ten thousand times.
    const found = asked.some((one) => one instanceof Promise) ? await Promise.all(asked) : (asked as readonly (OperationRow | undefined)[])
    // A call that is only answered has no commit, which would find out that these rows are of before.
    if (found.some((one) => one !== undefined) && (await backend.loadSession(key))?.hot.version !== rows.hot.version) return undefined
    const left: Pending[] = []
    const ids = new Set<string>()
    for (const [i, pending] of group.entries()) {
      const { operation } = pending.mutation
      const before = found[i]
      const isRedone = before !== undefined && !isSameCall(operation, before) && isContentGone(rows.cold, before.made)
      if (operation === undefined) left.push(pending)
      else if (before !== undefined && !isRedone) await answerAgain(pending, operation.fingerprint, rows, before)
      else if (ids.has(operation.id)) queues.get(key)?.push(pending)
      else left.push({ ...pending, isRedone })
      if (operation !== undefined) ids.add(operation.id)
    }
    return left
  }

  const needsFacts = ({ mutation }: Pending, rows: SessionRows, writer: Writer): boolean => mutation.prepare !== undefined && (mutation.needs?.(rows, writer) ?? true)

  /** One attempt to plan and store a group. Members that refuse themselves are settled. @returns who has to be planned anew */
  const attempt = async (key: string, group: readonly Pending[], isFirst: boolean): Promise<readonly Pending[]> => {
    const state = stateOf(key)
    const stored = await load(key)
    // Somebody may have purged it, and then its sequence numbers begin again: no address may be used twice.
    if (stored === undefined || isPurgedAhead(stored, state.writer)) state.writer = { w: randomInteger() }
    const base = stored ?? emptyRows(key, randomInteger())
    const here = isFirst || base.hot.promotedTo === undefined ? group : group.filter(staysHere)
    const members = await withoutRepeated(key, base, here)
    if (members === undefined) {
      state.rows = undefined
      return here
    }
    if (members.length > 1 && members.some((member) => needsFacts(member, base, state.writer))) {
      // Another tab changed what these calls stand on: each needs facts of its own now.
      for (const member of members) await store(key, [member])
      return []
    }
    const [first] = members
    if (first === undefined) return []
    const facts = needsFacts(first, base, state.writer) ? await first.mutation.prepare!(base, state.writer) : undefined
    const time = now()
    const { plan, done } = planAll(() => beginPlan(base, state.writer, time), members, facts)
    if (isEmptyPlan(plan)) {
      for (const { pending, result } of done) pending.resolve(result)
      return []
    }
    const planned = done.map(({ pending }) => pending)
    try {
      await settlePlan(backend, plan)
      const { rows, write } = finishPlan(plan)
      const durability = strictest(planned.map(({ mutation }) => mutation.durability))
      const { term } = first.mutation
      if ((await queue.commit(term === undefined ? write : { ...write, term }, durability)) !== 'stored') {
        state.rows = undefined
        return planned
      }
      state.rows = rows
      state.writer = plan.writer
      for (const { id } of plan.operations) lookup.remember(id)
      onCommit(plan, rows, durability)
      for (const { pending, result } of done) pending.resolve(result)
    } catch (error) {
      state.rows = undefined
      if (planned.length === 1) planned[0]!.reject(error)
      // Singly, so that only the culprit rejects.
      else for (const pending of planned) await store(key, [pending])
    }
    return []
  }

  /** Tabs that keep overtaking each other part after a few rounds. */
  const pause = (round: number): Promise<void> | undefined => (round > 3 ? new Promise((resolve) => setTimeout(resolve, (randomInteger() % 8) + round)) : undefined)

  /** Plans and stores a group, anew while other tabs are faster. */
  const store = async (key: string, group: readonly Pending[]): Promise<void> => {
    let left = group
    for (let round = 0; left.length > 0 && round < attemptLimit; round++) {
      await pause(round)
      left = await attempt(key, left, round === 0)
    }
    for (const pending of left) pending.reject(overtaken(key))
  }

  /** The calls at the front of a queue that can share a commit. */
  const takeGroup = async (key: string, pending: Pending[]): Promise<readonly Pending[]> => {
    const rows = (await load(key)) ?? emptyRows(key, 0)
    const { writer } = stateOf(key)
    const alone = pending.findIndex((member) => member.mutation.term !== undefined || needsFacts(member, rows, writer))
    const count = alone < 0 ? pending.length : Math.max(1, alone)
    return pending.splice(0, Math.min(count, groupLimit))
  }

  const drain = async (key: string): Promise<void> => {
    const pending = queues.get(key)!
    const { news } = stateOf(key)
    while (pending.length > 0) {
      let group: readonly Pending[] = pending
      try {
        group = await takeGroup(key, pending)
        await store(key, group)
      } catch (error) {
        stateOf(key).rows = undefined
        // Who was settled already stays so.
        for (const member of group) member.reject(error)
        if (group === pending) pending.length = 0
      }
    }
    queues.delete(key)
    const state = states.get(key)
    // Perhaps of what was written after ours.
    if (state !== undefined && state.news !== news) state.rows = undefined
    for (const waiter of waiters.splice(0).filter((waiter) => waiter.key === key || !waiters.push(waiter))) waiter.resolve()
    if (queues.size === 0) for (const idler of idlers.splice(0)) idler()
  }

  const alone = async (key: string, task: () => Promise<void>): Promise<void> => {
    while (queues.has(key)) await new Promise<void>((resolve) => waiters.push({ key, resolve }))
    queues.set(key, [])
    try {
      await task()
    } finally {
      states.delete(key)
      await drain(key)
    }
  }

  return {
    run: (key, mutation, elsewhere) =>
      new Promise((resolve, reject) => {
        const pending: Pending = { mutation: mutation as Mutation<unknown, unknown>, elsewhere, resolve: resolve as (value: unknown) => void, reject, since: now() }
        const queued = queues.get(key)
        if (queued !== undefined) {
          queued.push(pending)
          return
        }
        queues.set(key, [pending])
        queueMicrotask(() => void drain(key))
      }),
    runTogether: async (keys, durability, draw, fence = {}) => {
      // In one order, so that no two wait for each other.
      const sorted = [...keys].sort()
      const begin = async (key: string): Promise<Plan> => beginPlan((await backend.loadSession(key)) ?? emptyRows(key, randomInteger()), { w: randomInteger() }, now())
      const store = async (): Promise<boolean> => {
        for (let round = 0; round < attemptLimit; round++) {
          await pause(round)
          const plans = await draw(begin)
          if (plans === undefined) return false
          for (const plan of plans) await settlePlan(backend, plan)
          const finished = plans.map((plan) => ({ plan, ...finishPlan(plan) }))
          if (!(await backend.commit({ sessions: finished.map(({ write }) => ({ ...write, ...fence })), erase: [] }, durability)).stored) continue
          for (const { plan, rows } of finished) {
            for (const { id } of plan.operations) lookup.remember(id)
            onCommit(plan, rows, durability)
          }
          return true
        }
        throw overtaken(sorted[0]!)
      }
      let isStored = false
      const from = async (i: number): Promise<void> => {
        if (i < sorted.length) await alone(sorted[i]!, () => from(i + 1))
        else isStored = await store()
      }
      await from(0)
      return isStored
    },
    peek: (key) => states.get(key)?.rows ?? undefined,
    alone,
    rows: (key) => {
      // While its queue runs, the cached rows are at least as new as what is stored.
      if (!isFollowed && !queues.has(key)) stateOf(key).rows = undefined
      return load(key)
    },
    forget: (asked) => {
      for (const key of asked === undefined ? states.keys() : [asked]) {
        const state = states.get(key)
        if (state === undefined) continue
        state.news += 1
        if (!queues.has(key)) state.rows = undefined
      }
    },
    idle: () => (queues.size === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}

/** Whether somebody purged what this writer has yet to write: it would be gone as it is stored. */
function isPurgedAhead(rows: SessionRows, { w }: Writer): boolean {
  return (rows.cold.purged[writerKey(w)]?.at(-1)?.[1] ?? 0) > nextSequence(rows, w)
}
