import { type RetryOptions, retryWait } from './retry-wait.ts'

/** How many are retried at once. What prevents one mostly prevents all, and each sends what the other side lacks. */
const mostAtOnce = 4

export interface FailedSessionsOptions {
  readonly retry: RetryOptions
  /** These have to be exchanged once more. */
  readonly onRetry: (keys: readonly string[]) => void
}

/**
 * Sessions that could not be exchanged although there is a connection: a few are retried from time to time, and all as
 * soon as one of them succeeds.
 */
export interface FailedSessions {
  /** Whether it waits for a retry. */
  has(key: string): boolean
  /** The one that has waited longest. */
  first(): string | undefined
  failed(key: string): void
  succeeded(key: string): void
  /** Takes those that have waited longest: they count as being retried. Default: all. */
  take(count?: number): readonly string[]
  /** The connection is gone: the next one tries all. */
  clear(): void
}

export function createFailedSessions({ retry, onRetry }: FailedSessionsOptions): FailedSessions {
  /** Longest waiting first. */
  const waiting = new Set<string>()
  const tried = new Set<string>()
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const plan = (retryNow: () => void): void => {
    if (timer !== undefined) return
    timer = setTimeout(retryNow, retryWait(failures, retry))
    failures += 1
  }
  const take: FailedSessions['take'] = (count) => {
    const keys = [...waiting].slice(0, count)
    for (const key of keys) {
      waiting.delete(key)
      tried.add(key)
    }
    clearTimeout(timer)
    timer = undefined
    if (waiting.size > 0) plan(() => onRetry(take(mostAtOnce)))
    return keys
  }

  return {
    has: (key) => waiting.has(key),
    first: () => waiting.values().next().value,
    failed: (key) => {
      tried.delete(key)
      waiting.add(key)
      plan(() => onRetry(take(mostAtOnce)))
    },
    succeeded: (key) => {
      waiting.delete(key)
      if (!tried.delete(key)) return
      failures = 0
      if (waiting.size > 0) onRetry(take())
    },
    take,
    clear: () => {
      waiting.clear()
      tried.clear()
      failures = 0
      clearTimeout(timer)
      timer = undefined
    },
  }
}
