import type { LocalChangesOptions } from './local-changes-options.ts'
import type { PurgeLoader } from './purge-loader.ts'
import { retryWait } from './retry-wait.ts'

export interface ChangeProcessingOptions
  extends Pick<LocalChangesOptions, 'retry' | 'our' | 'onChangesKnown' | 'onError'> {
  readonly purgeLoader: Pick<PurgeLoader, 'loadUnknown'>
}

/** Reads the local changes that were gathered, and repeats that until the store has answered. */
export interface ChangeProcessing {
  /** Reads them now. Settles with this attempt, whatever its result. */
  start(): Promise<void>
  /** Reads them after so many milliseconds, unless that is planned already. */
  soon(ms: number): void
  /** Reads them after the next wait, as the store has failed. */
  repeat(): void
  /** Reads them now if that is planned. */
  hurry(): void
  isWaiting(): boolean
  isFailing(): boolean
  close(): void
}

export function createChangeProcessing(options: ChangeProcessingOptions): ChangeProcessing {
  const { retry, our, purgeLoader, onChangesKnown, onError } = options
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let running = 0
  let isClosed = false

  const plan = (ms: number, run: () => Promise<void>): void => {
    timer ??= setTimeout(() => void run(), ms)
  }
  /** The changes still have to be processed, even if nothing else changes. */
  const planAgain = (run: () => Promise<void>): void => {
    if (!isClosed && timer === undefined) plan(retryWait(failures++, retry), run)
  }
  const start = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    running += 1
    try {
      await Promise.all([our().locals.refresh(), purgeLoader.loadUnknown()])
      failures = 0
    } catch (error) {
      onError(error)
      planAgain(start)
      return
    } finally {
      running -= 1
    }
    onChangesKnown()
  }

  return {
    start,
    soon: (ms) => plan(ms, start),
    repeat: () => planAgain(start),
    hurry: () => {
      if (timer !== undefined) void start()
    },
    isWaiting: () => timer !== undefined || running > 0,
    isFailing: () => failures > 0,
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
