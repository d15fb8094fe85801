import { isMendable } from './is-mendable.ts'

/**
 * Writes that follow each other. One that failed is kept and done first if a retry can mend it: the order stays.
 */
export interface WriteQueue {
  /** Does a write, after those that failed before. @throws what a write throws, unless `onError` takes it */
  run(write: () => Promise<void>): Promise<void>
  /** Does what failed once more. @throws what it throws then */
  retry(): Promise<void>
  /** Tells of an error that no write of the queue has. @throws the error, unless `onError` takes it */
  report(error: unknown): void
}

/**
 * @param onError - told of each write that failed; absent: the write rejects
 */
export function createWriteQueue(onError: ((error: unknown) => void) | undefined): WriteQueue {
  const waiting: (() => Promise<void>)[] = []
  let last: Promise<unknown> = Promise.resolve()

  /** @returns the errors of the writes that failed; only the last of them may be done again */
  async function drain(): Promise<readonly unknown[]> {
    const errors: unknown[] = []
    for (let write = waiting[0]; write !== undefined; write = waiting[0]) {
      try {
        await write()
      } catch (error) {
        errors.push(error)
        if (isMendable(error)) break
      }
      waiting.shift()
    }
    return errors
  }
  function enqueue(): Promise<readonly unknown[]> {
    const draining = last.then(drain)
    last = draining
    return draining
  }
  function report(error: unknown): void {
    if (onError === undefined) throw error
    onError(error)
  }

  return {
    run: async (write) => {
      waiting.push(write)
      for (const error of await enqueue()) report(error)
    },
    retry: async () => {
      const [error, ...others] = await enqueue()
      for (const other of others) onError?.(other)
      if (error !== undefined) throw error
    },
    report,
  }
}
