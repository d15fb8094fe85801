import { createFailedSessions } from './failed-sessions.ts'
import type { LocalSessions } from './local-sessions.ts'
import type { RetryOptions } from './retry-wait.ts'

export interface UnreadableSessionsOptions {
  readonly retry: RetryOptions
  readonly locals: () => Pick<LocalSessions, 'unreadable' | 'retry' | 'refresh'>
  /** Some were read again: the sessions have to be reviewed. */
  readonly onRetried: () => void
  readonly onError: (error: unknown) => void
}

/** Reads sessions again that the store could not read, a few at a time, with growing waits. */
export interface UnreadableSessions {
  /** Records which ones there are now. */
  note(): void
  /** Which session could not be read, and why. */
  trouble(): string | undefined
  close(): void
}

export function createUnreadableSessions({
  retry,
  locals,
  onRetried,
  onError,
}: UnreadableSessionsOptions): UnreadableSessions {
  const noted = new Set<string>()
  let isClosed = false
  const failed = createFailedSessions({
    retry,
    onRetry: (keys) => {
      if (isClosed) return
      locals().retry(keys)
      locals().refresh().then(onRetried, onError)
    },
  })

  return {
    note: () => {
      const { unreadable } = locals()
      if (isClosed || unreadable.size + noted.size === 0) return
      for (const key of unreadable.keys()) {
        noted.add(key)
        failed.failed(key)
      }
      for (const key of noted) {
        if (unreadable.has(key)) continue
        noted.delete(key)
        failed.succeeded(key)
      }
    },
    trouble: () => {
      const [first] = locals().unreadable
      return first && `Session "${first[0]}" could not be read: ${first[1].message}`
    },
    close: () => {
      isClosed = true
      failed.clear()
    },
  }
}
