import type { Pending } from './mutation.ts'
import type { SessionStates } from './session-states.ts'

export interface SessionQueues {
  readonly isBusy: (key: string) => boolean
  /** Queues a call. An idle queue starts in the next microtask, so that calls of one tick share a commit. */
  readonly add: (key: string, pending: Pending) => void
  /** Moves a running call to the end of its queue. */
  readonly requeue: (key: string, pending: Pending) => void
  /**
   * Runs a task while no call of the session runs. Calls that arrive in the meantime wait. The session's state is
   * dropped afterwards.
   *
   * @param announce - called then, if the task succeeded, and before the calls that wait
   */
  readonly alone: (key: string, task: () => Promise<void>, announce?: () => void) => Promise<void>
  /** Resolves when nothing is queued. */
  readonly idle: () => Promise<void>
}

/**
 * One queue of calls for each session.
 *
 * @param runNext - takes at least one call from the front of a queue, and settles what it took; never rejects
 */
export function createSessionQueues(
  states: SessionStates,
  runNext: (key: string, queue: Pending[]) => Promise<void>,
): SessionQueues {
  const queues = new Map<string, Pending[]>()
  const idlers: (() => void)[] = []
  /** Tasks that wait for the end of one session's queue. */
  const waiters: { readonly key: string; readonly resolve: () => void }[] = []

  const drain = async (key: string): Promise<void> => {
    const queue = queues.get(key)!
    const { news } = states.of(key)
    while (queue.length > 0) await runNext(key, queue)
    queues.delete(key)
    const state = states.cached(key)
    // Another tab wrote in the meantime, perhaps after our last commit.
    if (state !== undefined && state.news !== news) state.rows = undefined
    for (const waiter of waiters.splice(0).filter((one) => one.key === key || !waiters.push(one))) waiter.resolve()
    if (queues.size === 0) for (const idler of idlers.splice(0)) idler()
  }

  return {
    isBusy: (key) => queues.has(key),
    add: (key, pending) => {
      const queue = queues.get(key)
      if (queue !== undefined) {
        queue.push(pending)
        return
      }
      queues.set(key, [pending])
      queueMicrotask(() => void drain(key))
    },
    requeue: (key, pending) => void queues.get(key)?.push(pending),
    alone: async (key, task, announce) => {
      while (queues.has(key)) await new Promise<void>((resolve) => waiters.push({ key, resolve }))
      queues.set(key, [])
      try {
        await task().finally(() => states.drop(key))
        announce?.()
      } finally {
        await drain(key)
      }
    },
    idle: () => (queues.size === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}
