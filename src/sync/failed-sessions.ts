import { type RetryOptions, retryWait } from './retry-wait.ts'

/** So many are tried again at a time: what is in the way of one is mostly in the way of all, and each sends what it lacks. */
const mostAtOnce = 4

export interface FailedSessionsOptions {
  readonly retry: RetryOptions
  /** These are to be exchanged once more. */
  readonly onDue: (keys: readonly string[]) => void
}

/** Sessions that could not be exchanged though there is a connection: a few are tried again now and then, and all as soon as one of them comes through. */
export interface FailedSessions {
  /** Whether it waits to be tried again. */
  has(key: string): boolean
  /** Which has waited longest. */
  first(): string | undefined
  failed(key: string): void
  succeeded(key: string): void
  /** Those that have waited longest, which from now on are being tried. Default: all. */
  take(count?: number): readonly string[]
  /** The connection is gone: the next one tries all. */
  clear(): void
}

export function createFailedSessions({ retry, onDue }: FailedSessionsOptions): FailedSessions {
  /** Longest waiting first. */
  const waiting = new Set<string>()
  const tried = new Set<string>()
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const take: FailedSessions['take'] = (count) => {
    const keys = [...waiting].slice(0, count)
    for (const key of keys) {
      waiting.delete(key)
      tried.add(key)
    }
    clearTimeout(timer)
    timer = undefined
    if (waiting.size > 0) plan()
    return keys
  }
  const plan = (): void => {
    if (timer !== undefined) return
    timer = setTimeout(() => onDue(take(mostAtOnce)), retryWait(failures, retry))
    failures += 1
  }

  return {
    has: (key) => waiting.has(key),
    first: () => waiting.values().next().value,
    failed: (key) => {
      tried.delete(key)
      waiting.add(key)
      plan()
    },
    succeeded: (key) => {
      waiting.delete(key)
      if (!tried.delete(key)) return
      failures = 0
      if (waiting.size > 0) onDue(take())
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
