import type { SyncMachineState } from './machine/machine-state.ts'
import type { SessionSyncState, SyncState, SyncStatus } from './status.ts'

/** What the state that an app sees depends on. */
export interface StateInputs {
  readonly state: SyncMachineState
  /** Whether the store fails to report what is here. */
  readonly isFailing: boolean
  /** Whether there is nothing left to do. */
  readonly isIdle: () => boolean
  /** Why something cannot be done with a session here now. It is retried by itself. */
  readonly stuck: string | undefined
  readonly sessions: ReadonlyMap<string, SessionSyncState>
}

/** The state of sync that an app sees, and what is wrong. */
export function stateOf(inputs: StateInputs): Pick<SyncStatus, 'state' | 'message'> {
  const state = nameOf(inputs)
  const message = messageOf(state, inputs)
  return { state, ...(message === undefined ? {} : { message }) }
}

function messageOf(name: SyncState, { state, isFailing, stuck }: StateInputs): string | undefined {
  const { key, list, lastError } = state
  if (name === 'offline')
    return 'The other side cannot be reached. What is written here is kept, and sent as soon as possible.'
  if (name === 'readonly') return 'This device may only read: what is written here waits.'
  if (name === 'wrongKey' && key.found?.isRight === false) return key.found.message
  if (name !== 'error' && name !== 'denied') return undefined
  if ('message' in list.standing) return list.standing.message
  return isFailing ? lastError : (stuck ?? lastError)
}

function nameOf({ state: { phase, list }, isFailing, isIdle, stuck, sessions }: StateInputs): SyncState {
  if (phase === 'changingKeys') return 'syncing'
  if (phase !== 'connecting' && phase !== 'checkingKey' && phase !== 'exchanging') return phase
  if (list.standing.state === 'oversized') return 'error'
  if (list.standing.state !== 'connected') return list.standing.state
  if (isFailing) return 'error'
  if (!isIdle()) return 'syncing'
  return stuck !== undefined || [...sessions.values()].some(isInTrouble) ? 'error' : 'synced'
}

function isInTrouble(state: SessionSyncState): boolean {
  return state === 'error' || state === 'oversized' || state === 'denied' || state === 'wrongKey'
}
