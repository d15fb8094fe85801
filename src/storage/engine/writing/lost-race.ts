import { SessionError } from '../../../contract/errors.ts'

/** How often a change is planned before a call gives up, because another tab wrote first each time. */
export const attemptLimit = 200

/** The error of a call that gave up after {@link attemptLimit} attempts. */
export function lostRace(key: string): SessionError {
  return new SessionError(
    'StorageUnavailable',
    `Session "${key}" was changed by other tabs ${attemptLimit} times meanwhile. Try again.`,
  )
}

/**
 * Waits before a late attempt. Tabs that keep getting ahead of each other separate after a few pauses of different
 * lengths.
 */
export function pauseBefore(attempt: number, randomInteger: () => number): Promise<void> | undefined {
  return attempt > 3 ? new Promise((resolve) => setTimeout(resolve, (randomInteger() % 8) + attempt)) : undefined
}
