import { createFailedSessions } from './failed-sessions.ts'
import type { RetryOptions } from './retry-wait.ts'

export interface PurgeEraserOptions {
  readonly retry: RetryOptions
  /** Erases one, or rejects with what is in the way. */
  readonly erase: (key: string) => Promise<void>
  /** Some that could not be erased are to be looked at once more. */
  readonly onDue: () => void
  /** All that could be erased now is. */
  readonly onDone: () => void
}

/** Erases what other devices purged, one after the other. What can't be erased is tried again, later each time. */
export interface PurgeEraser {
  /** @param keys - all that are to be erased by now: those that wait to be tried again go on waiting, and of others nothing is wrong any more */
  erase(keys: readonly string[]): void
  /** Whether something is being erased. */
  isErasing(): boolean
  /** Which session could not be erased, and why. */
  trouble(): string | undefined
  /** The connection is gone: the next one tries all. */
  clear(): void
  /** Resolves when nothing is being erased any more; what waits for its turn is left. */
  close(): Promise<void>
}

export function createPurgeEraser({ retry, erase, onDue, onDone }: PurgeEraserOptions): PurgeEraser {
  const failed = createFailedSessions({ retry, onDue })
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
        troubles.set(key, `Session "${key}" was purged on another device, and could not be erased here: ${(error as Error).message}`)
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
      // Erased here meanwhile, or brought back.
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
