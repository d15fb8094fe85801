import { createFailedSessions } from './failed-sessions.ts'
import type { LocalSessions } from './local-sessions.ts'
import type { RetryOptions } from './retry-wait.ts'

export interface UnreadableSessionsOptions {
  readonly retry: RetryOptions
  readonly locals: () => Pick<LocalSessions, 'unreadable' | 'retry' | 'refresh'>
  /** Some were tried again: it is to be looked at what is known now. */
  readonly onTried: () => void
  readonly onError: (error: unknown) => void
}

/** Has sessions that the store could not read read again, a few at a time, later each time. */
export interface UnreadableSessions {
  /** Takes note of which there are now. */
  note(): void
  /** Which could not be read, and why. */
  trouble(): string | undefined
  close(): void
}

export function createUnreadableSessions({ retry, locals, onTried, onError }: UnreadableSessionsOptions): UnreadableSessions {
  const noted = new Set<string>()
  let isClosed = false
  const failed = createFailedSessions({
    retry,
    onDue: (keys) => {
      if (isClosed) return
      locals().retry(keys)
      locals().refresh().then(onTried, onError)
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
