import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Mutation, Pending } from './mutation.ts'
import { createOperationLookup } from './operation-lookup.ts'
import type { Plan } from './plan.ts'
import { createSessionQueues } from './session-queues.ts'
import { createSessionStates } from './session-states.ts'
import { createGroupStore, needsFacts } from './store-group.ts'
import { createTogetherStore, type StoreTogether } from './store-together.ts'

export interface SessionWriterOptions {
  readonly backend: CoreBackend
  readonly queue: CommitQueue
  readonly now: () => number
  /** A 53-bit random integer. */
  readonly randomInteger: () => number
  /** Whether an operation id can't have been stored before this store was opened. */
  readonly isFresh: (operationId: string) => boolean
  /**
   * Whether `forget` is called for what other stores on this database write. Otherwise every look at a session reads
   * it.
   */
  readonly isFollowed: boolean
  readonly onCommit: (plan: Plan, rows: SessionRows, durability: Durability) => void
}

export interface SessionWriter {
  /**
   * Queues a change; resolves when it is stored.
   *
   * @param elsewhere - makes the change in the session that another tab has moved the session's history to meanwhile
   * (L20); `undefined` when the change is to be made here nevertheless
   */
  readonly run: <Facts, Result>(
    key: string,
    mutation: Mutation<Facts, Result>,
    elsewhere?: (promotedTo: string) => Promise<Result> | undefined,
  ) => Promise<Result>
  readonly runTogether: StoreTogether
  /** The session's rows as stored; `undefined` when there is none. */
  readonly rows: (key: string) => Promise<SessionRows | undefined>
  /** The session's rows, if they are cached. */
  readonly peek: (key: string) => SessionRows | undefined
  /**
   * Runs work on a session that is no mutation (purge, repair) between its mutations. Its cached rows are dropped
   * afterwards.
   *
   * @param announce - called then, if the work succeeded, and before the mutations that wait
   */
  readonly alone: (key: string, task: () => Promise<void>, announce?: () => void) => Promise<void>
  /**
   * Somebody else wrote: the cached rows of the session are outdated, or those of all sessions when the key is unknown.
   */
  readonly forget: (key?: string) => void
  /** Resolves when nothing is queued. */
  readonly idle: () => Promise<void>
}

/** How many calls of one session share a commit at most. */
const groupLimit = 4096

/** Runs the changes of each session one after the other. As many as can be planned together share a commit. */
export function createSessionWriter(options: SessionWriterOptions): SessionWriter {
  const { backend, now, randomInteger, isFresh, isFollowed } = options
  const lookup = createOperationLookup({ backend, now, isFresh })
  const states = createSessionStates({ backend, randomInteger, isBusy: (key) => queues.isBusy(key) })

  /** Takes the calls at the front of a queue that can share a commit. */
  const takeGroup = async (key: string, pending: Pending[]): Promise<readonly Pending[]> => {
    const rows = (await states.load(key)) ?? emptyRows(key, 0)
    const { writer } = states.of(key)
    const alone = pending.findIndex((member) => member.mutation.term !== undefined || needsFacts(member, rows, writer))
    const count = alone < 0 ? pending.length : Math.max(1, alone)
    return pending.splice(0, Math.min(count, groupLimit))
  }

  const runNext = async (key: string, pending: Pending[]): Promise<void> => {
    let group: readonly Pending[] = pending
    try {
      group = await takeGroup(key, pending)
      await storeGroup(key, group)
    } catch (error) {
      states.of(key).rows = undefined
      // This does nothing to calls that are already settled.
      for (const member of group) member.reject(error)
      if (group === pending) pending.length = 0
    }
  }

  const queues = createSessionQueues(states, runNext)
  const { alone, requeue } = queues
  const storeGroup = createGroupStore({ ...options, states, lookup, requeue })

  return {
    run: (key, mutation, elsewhere) =>
      new Promise((resolve, reject) => {
        queues.add(key, {
          mutation: mutation as Mutation<unknown, unknown>,
          elsewhere,
          resolve: resolve as (value: unknown) => void,
          reject,
          since: now(),
        })
      }),
    runTogether: createTogetherStore({ ...options, lookup, alone, drop: states.drop }),
    peek: (key) => states.cached(key)?.rows ?? undefined,
    alone,
    rows: (key) => {
      // While the session's queue runs, the cached rows are at least as new as the stored ones.
      if (!isFollowed && !queues.isBusy(key)) states.of(key).rows = undefined
      return states.load(key)
    },
    forget: states.forget,
    idle: queues.idle,
  }
}
