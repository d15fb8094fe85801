import type { KeyCheck } from './key-check.ts'
import type { LinkStatus } from './link.ts'
import type { SessionSyncState, SyncState, SyncStatus } from './status.ts'

/** What the state of sync depends on. */
export interface StateInputs {
  readonly isClosed: boolean
  readonly isPaused: boolean
  readonly isChangingKeys: boolean
  readonly check: KeyCheck | undefined
  readonly link: LinkStatus
  /** Whether the store fails to report what is here. */
  readonly isFailing: boolean
  /** Whether there is nothing left to do. */
  readonly isIdle: () => boolean
  /** Why something cannot be done with a session here now. It is retried by itself. */
  readonly stuck: string | undefined
  readonly sessions: ReadonlyMap<string, SessionSyncState>
  readonly lastError: string | undefined
}

/** The state of sync, and what is wrong. */
export function stateOf(standing: StateInputs): Pick<SyncStatus, 'state' | 'message'> {
  const state = nameOf(standing)
  const message = messageOf(state, standing)
  return { state, ...(message === undefined ? {} : { message }) }
}

function messageOf(state: SyncState, { check, link, isFailing, stuck, lastError }: StateInputs): string | undefined {
  if (state === 'offline')
    return 'The other side cannot be reached. What is written here is kept, and sent as soon as possible.'
  if (state === 'readonly') return 'This device may only read: what is written here waits.'
  if (state === 'wrongKey' && check?.isRight === false) return check.message
  if (state !== 'error' && state !== 'denied') return undefined
  if ('message' in link) return link.message
  return isFailing ? lastError : (stuck ?? lastError)
}

function nameOf({
  isClosed,
  isPaused,
  isChangingKeys,
  check,
  link,
  isFailing,
  isIdle,
  stuck,
  sessions,
}: StateInputs): SyncState {
  if (isClosed) return 'closed'
  if (isPaused) return 'paused'
  if (isChangingKeys) return 'syncing'
  if (check?.isRight === false && (link.state === 'connected' || link.state === 'readonly')) return 'wrongKey'
  if (link.state === 'oversized') return 'error'
  if (link.state !== 'connected') return link.state
  if (isFailing) return 'error'
  if (!isIdle()) return 'syncing'
  return stuck !== undefined ||
    [...sessions.values()].some(
      (one) => one === 'error' || one === 'oversized' || one === 'denied' || one === 'wrongKey',
    )
    ? 'error'
    : 'synced'
}
