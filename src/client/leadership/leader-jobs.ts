import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { LeaderWork, LeadOptions } from './leadership-types.ts'
import { wait } from './wait.ts'

/** The time of one term. */
interface Tenure {
  readonly term: number
  /** Fires when it is over. */
  readonly over: AbortSignal
  /** To be called when a write was refused: another term has begun. */
  readonly refuse: () => void
}

/** Work that waits for this tab to lead, or is running. */
export interface LeaderJobs {
  add<T>(work: LeaderWork<T>, options: LeadOptions): Promise<T>
  begin(tenure: Tenure): void
  /** Whether any of it lasts as long as this tab leads. */
  hasLasting(): boolean
  /** Resolves when nothing is running, and after this many milliseconds at the latest. */
  idle(ms: number): Promise<void>
  /** Ends all of it. */
  close(): void
}

interface Job {
  readonly work: LeaderWork<unknown>
  readonly isLasting: boolean
  readonly ending: AbortController
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Settles when earlier attempts have ended. */
  attempts: Promise<void>
}

export function createLeaderJobs(): LeaderJobs {
  const jobs = new Set<Job>()
  const running = new Set<Promise<void>>()
  let current: Tenure | undefined

  function settle(job: Job, act: () => void): void {
    if (!jobs.delete(job)) return
    act()
    job.ending.abort()
  }

  /** Starts a job when its attempt of the term before has ended. */
  function begin(job: Job, tenure: Tenure): void {
    const attempt = job.attempts.then(() => attemptNow(job, tenure))
    job.attempts = attempt
    running.add(attempt)
    void attempt.then(() => running.delete(attempt))
  }

  async function attemptNow(job: Job, { term, over, refuse }: Tenure): Promise<void> {
    if (over.aborted || !jobs.has(job)) return
    const working = new AbortController()
    const stop = (): void => working.abort()
    over.addEventListener('abort', stop)
    job.ending.signal.addEventListener('abort', stop)
    try {
      const value = await job.work(term, working.signal)
      // Otherwise it is unknown how much was done in time: the work restarts with the next term.
      if (!over.aborted) settle(job, () => job.resolve(value))
    } catch (error) {
      if (over.aborted) return
      if (isSessionError(error, 'NotLeader')) refuse()
      else settle(job, () => job.reject(error))
    } finally {
      over.removeEventListener('abort', stop)
      job.ending.signal.removeEventListener('abort', stop)
    }
  }

  return {
    add: <T>(work: LeaderWork<T>, { signal, isLasting = false }: LeadOptions) =>
      new Promise<T>((resolve, reject) => {
        const job: Job = {
          work,
          isLasting,
          ending: new AbortController(),
          resolve: resolve as (value: unknown) => void,
          reject,
          attempts: Promise.resolve(),
        }
        const abort = (): void =>
          settle(job, () =>
            reject(new SessionError('Aborted', 'client.lead was cancelled by its signal.', { cause: signal?.reason })),
          )
        jobs.add(job)
        if (signal?.aborted === true) return abort()
        signal?.addEventListener('abort', abort)
        job.ending.signal.addEventListener('abort', () => signal?.removeEventListener('abort', abort))
        if (current?.over.aborted === false) begin(job, current)
      }),
    begin: (tenure) => {
      current = tenure
      for (const job of jobs) begin(job, tenure)
    },
    hasLasting: () => [...jobs].some(({ isLasting }) => isLasting),
    idle: (ms) => {
      const done = new AbortController()
      void Promise.all(running).then(() => done.abort())
      return wait(done.signal, ms)
    },
    close: () => {
      for (const job of [...jobs]) settle(job, () => job.reject(closedError()))
    },
  }
}

export const closedError = (): SessionError =>
  new SessionError(
    'StorageClosed',
    'The store was closed, and with it the work that only one tab does. Open the store again.',
  )
