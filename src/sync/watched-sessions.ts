export interface WatchedSessionsOptions {
  /** Wait before the first retry, and the longest, in milliseconds. */
  readonly retryMs: readonly [first: number, longest: number]
  readonly random: () => number
  /** One is to be connected. */
  readonly onDue: () => void
  /** Somebody began to look at it, or nobody does any more. */
  readonly onChange: (key: string, isWatched: boolean) => void
}

/** Sessions that somebody looks at: they stay connected, and are connected again when that fails. */
export interface WatchedSessions {
  /** @returns how to stop; a session that several look at is watched until the last has stopped */
  watch(key: string): () => void
  has(key: string): boolean
  /** Those to be connected, but for what failed a moment ago. */
  due(): readonly string[]
  failed(key: string): void
  succeeded(key: string): void
  close(): void
}

interface Watched {
  count: number
  failures: number
  retry: ReturnType<typeof setTimeout> | undefined
}

export function createWatchedSessions({ retryMs: [first, longest], random, onDue, onChange }: WatchedSessionsOptions): WatchedSessions {
  const all = new Map<string, Watched>()

  return {
    watch: (key) => {
      const one = all.get(key) ?? { count: 0, failures: 0, retry: undefined }
      all.set(key, one)
      one.count += 1
      if (one.count === 1) {
        onChange(key, true)
        onDue()
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        one.count -= 1
        if (one.count > 0 || all.get(key) !== one) return
        clearTimeout(one.retry)
        all.delete(key)
        onChange(key, false)
      }
    },
    has: (key) => all.has(key),
    due: () => [...all].filter(([, { retry }]) => retry === undefined).map(([key]) => key),
    failed: (key) => {
      const one = all.get(key)
      if (one === undefined || one.retry !== undefined) return
      const wait = Math.min(longest, first * 2 ** one.failures)
      one.failures += 1
      one.retry = setTimeout(() => {
        one.retry = undefined
        onDue()
      }, wait / 2 + (wait / 2) * random())
    },
    succeeded: (key) => {
      const one = all.get(key)
      if (one !== undefined) one.failures = 0
    },
    close: () => {
      for (const { retry } of all.values()) clearTimeout(retry)
      all.clear()
    },
  }
}
