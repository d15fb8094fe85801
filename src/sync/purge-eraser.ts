import { createFailedSessions } from './failed-sessions.ts'
import type { RetryOptions } from './retry-wait.ts'

export interface PurgeEraserOptions {
  readonly retry: RetryOptions
  /** Erases one session, or rejects with the obstacle. */
  readonly erase: (key: string) => Promise<void>
  /** Some that could not be erased have to be reviewed again. */
  readonly onRetry: () => void
  /** Everything that can be erased now is erased. */
  readonly onDone: () => void
}

/** Erases what other devices purged, one session after the other. Failures are retried, with growing waits. */
export interface PurgeEraser {
  /**
   * @param keys - all sessions that have to be erased now. Those that wait for a retry continue to wait; the others are
   * no longer in trouble.
   */
  erase(keys: readonly string[]): void
  /** Whether a session is being erased. */
  isErasing(): boolean
  /** Which session could not be erased, and why. */
  trouble(): string | undefined
  /** The connection is gone: the next one tries all. */
  clear(): void
  /** Resolves when nothing is being erased any more. Waiting sessions are not erased. */
  close(): Promise<void>
}

export function createPurgeEraser({ retry, erase, onRetry, onDone }: PurgeEraserOptions): PurgeEraser {
  const failed = createFailedSessions({ retry, onRetry })
  const troubles = new Map<string, string>()
  const keys = new Set<string>()
  let running: Promise<void> | undefined

  const eraseAll = async (): Promise<void> => {
    for (const key of keys) {
      try {
        await erase(key)
        troubles.delete(key)
        failed.succeeded(key)
      } catch (error) {
        troubles.set(
          key,
          `Session "${key}" was purged on another device, and could not be erased here: ${(error as Error).message}`,
        )
        failed.failed(key)
      }
      keys.delete(key)
    }
    running = undefined
    onDone()
  }

  return {
    erase: (due) => {
      const asked = new Set(due)
      // They were erased here in the meantime, or restored.
      for (const key of troubles.keys()) {
        if (asked.has(key)) continue
        troubles.delete(key)
        failed.succeeded(key)
      }
      for (const key of due) if (!failed.has(key)) keys.add(key)
      if (keys.size > 0) running ??= eraseAll()
    },
    isErasing: () => running !== undefined,
    trouble: () => [...troubles.values()][0],
    clear: () => {
      failed.clear()
      troubles.clear()
    },
    close: async () => {
      failed.clear()
      keys.clear()
      await running
      failed.clear()
    },
  }
}
