import { SessionError } from '../contract/errors.ts'
import type { SyncMachineState } from './machine/machine-state.ts'
import type { SyncDriver } from './sync-driver.ts'
import { waitUntil } from './wait-until.ts'

type Obstacle = (state: SyncMachineState) => SessionError | undefined

/**
 * Waits until a condition is met.
 *
 * @throws Aborted, StorageClosed, WrongPassphrase, AccessDenied; what `obstacle` returns
 */
export function untilMet(
  { state, subscribe }: SyncDriver,
  isMet: () => boolean,
  signal: AbortSignal | undefined,
  obstacle: Obstacle = () => undefined,
): Promise<void> {
  return waitUntil(isMet, { subscribe, obstacle: () => common(state(), signal) ?? obstacle(state()), signal })
}

/** While sync is paused nothing is exchanged, however long a caller waits. */
export const whilePaused: Obstacle = ({ isPaused }) =>
  isPaused ? new SessionError('Aborted', 'Sync was paused meanwhile: resume it, and try again.') : undefined

/** Nothing opens the list of the other side again before sync is resumed, or a plan is asked for once more. */
export const whileListClosed: Obstacle = ({ list, isChangingKeys }) =>
  list.isOpen || isChangingKeys
    ? undefined
    : new SessionError('Aborted', 'The connection was closed meanwhile, because sync is paused: ask once more.')

function common(state: SyncMachineState, signal: AbortSignal | undefined): SessionError | undefined {
  const { isClosed, isChangingKeys, key, list } = state
  if (signal?.aborted === true) return new SessionError('Aborted', 'The wait for sync was aborted. Sync continues.')
  if (isClosed) return new SessionError('StorageClosed', 'Sync was closed.')
  if (key.found?.isRight === false && key.isCurrent && !isChangingKeys)
    return new SessionError('WrongPassphrase', key.found.message)
  return list.link.state === 'denied'
    ? new SessionError('AccessDenied', `The other side refuses us: ${list.link.message}. Sign in again.`)
    : undefined
}
