import { isSessionError, type SessionErrorName } from '../../contract/errors.ts'

/** Writes that follow each other. One that failed is kept and done first, so that the order stays. */
export interface WriteQueue {
  /** Does a write, after those that failed before. @throws what the write throws, unless `onError` takes it */
  run(write: () => Promise<void>): Promise<void>
  /** Does what failed once more. @throws what it throws then */
  retry(): Promise<void>
}

/**
 * @param onError - told of each write that failed; absent: the write rejects
 */
export function createWriteQueue(onError: ((error: unknown) => void) | undefined): WriteQueue {
  const waiting: (() => Promise<void>)[] = []
  let last: Promise<unknown> = Promise.resolve()

  async function drain(): Promise<void> {
    for (let write = waiting[0]; write !== undefined; write = waiting[0]) {
      try {
        await write()
      } catch (error) {
        if (isFinal(error)) waiting.shift()
        throw error
      }
      waiting.shift()
    }
  }
  function enqueue(): Promise<void> {
    const draining = last.then(drain)
    last = draining.catch(() => undefined)
    return draining
  }

  return {
    run: (write) => {
      waiting.push(write)
      const done = enqueue()
      return onError === undefined ? done : done.catch(onError)
    },
    retry: enqueue,
  }
}

/** What the same write would meet again. */
const final: readonly SessionErrorName[] = ['InvalidInput', 'TooLarge', 'SessionNotFound', 'OperationConflict']

const isFinal = (error: unknown): boolean => final.some((name) => isSessionError(error, name))
