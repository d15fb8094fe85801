import { isMendable } from './is-mendable.ts'

/**
 * Writes that follow each other. One that failed is kept and done first if a retry can mend it: the order stays.
 */
export interface WriteQueue {
  /**
   * Does a write, after those that failed before.
   * @throws what the write throws, or the write that holds it up, unless `onError` takes it
   */
  run(write: () => Promise<void>): Promise<void>
  /** Does what failed once more. @throws what it throws then */
  retry(): Promise<void>
  /** Tells of an error that no write of the queue has. @throws the error, unless `onError` takes it */
  report(error: unknown): void
}

interface Failure {
  readonly error: unknown
}

interface QueuedWrite {
  readonly work: () => Promise<void>
  /** How it failed when it was last tried. */
  failure: Failure | undefined
  /** Whether it is not tried again. */
  isDone: boolean
  /** Whether its caller knows how it went, or that it is kept. */
  isTold: boolean
}

/** What happened when the queue was worked off. */
interface Drained {
  /** Errors of kept writes that failed for good: their callers were told earlier. */
  readonly late: readonly unknown[]
  /** Why the first write that waits is kept. */
  readonly holding: Failure | undefined
}

/**
 * @param onError - told of each write that failed; absent: the write rejects
 */
export function createWriteQueue(onError: ((error: unknown) => void) | undefined): WriteQueue {
  const waiting: QueuedWrite[] = []
  let last: Promise<unknown> = Promise.resolve()

  async function drain(): Promise<Drained> {
    const late: unknown[] = []
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      next.failure = undefined
      try {
        await next.work()
      } catch (error) {
        next.failure = { error }
        if (isMendable(error)) return { late, holding: next.failure }
        if (next.isTold) late.push(error)
      }
      next.isDone = true
      waiting.shift()
    }
    return { late, holding: undefined }
  }
  function enqueue(): Promise<Drained> {
    const draining = last.then(drain)
    last = draining
    return draining
  }
  function report(error: unknown): void {
    if (onError === undefined) throw error
    onError(error)
  }

  return {
    run: async (work) => {
      const mine: QueuedWrite = { work, failure: undefined, isDone: false, isTold: false }
      waiting.push(mine)
      const { late, holding } = await enqueue()
      mine.isTold = true
      for (const error of late) onError?.(error)
      // Others may have been done along with it: their failures are told to their callers.
      const failure = mine.isDone ? mine.failure : holding
      if (failure !== undefined) report(failure.error)
    },
    retry: async () => {
      const { late, holding } = await enqueue()
      const [error, ...others] = holding === undefined ? late : [...late, holding.error]
      for (const other of others) onError?.(other)
      if (error !== undefined) throw error
    },
    report,
  }
}
