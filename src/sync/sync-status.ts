import type { BatchedReviews } from './batched-reviews.ts'
import { hasRecordToPublish, isListOpen } from './machine/machine-state.ts'
import { stateOf } from './state-of.ts'
import type { SyncStatus } from './status.ts'
import type { SyncParts } from './sync-parts.ts'

export interface StatusOptions extends SyncParts {
  readonly reviews: Pick<BatchedReviews, 'isPending'>
}

/** The status that an app sees, from the state of sync and what its parts say. Looks, and changes nothing. */
export function statusOf(parts: StatusOptions): SyncStatus {
  const { driver, scopes, changes, unreadable, eraser, window, report } = parts
  return {
    ...stateOf({
      state: driver.state(),
      isFailing: changes.isFailing(),
      isIdle: () => isIdle(parts),
      stuck: unreadable.trouble() ?? eraser.trouble() ?? unreached(parts),
      sessions: window.states(),
    }),
    pending: window.pending(),
    progress: window.progress(),
    report: report.now(scopes.current().blobs.counts()),
  }
}

/** Whether there is nothing left to do. */
export function isIdle({
  driver,
  reviews,
  window,
  scopes,
  changes,
  eraser,
  purges,
  publisher,
  list,
}: StatusOptions): boolean {
  const state = driver.state()
  return (
    isListOpen(state) &&
    !hasRecordToPublish(state) &&
    !reviews.isPending() &&
    window.pending() === 0 &&
    !scopes.current().locals.isStale() &&
    !changes.isWaiting() &&
    !eraser.isErasing() &&
    !purges.isLoading() &&
    !publisher.isAnnouncing() &&
    (list.isSent() || state.list.link.state === 'readonly')
  )
}

/**
 * A server has every session, so one that it does not serve is not the same on both sides. Among peers, it may just be
 * open nowhere.
 */
function unreached({ setup, failed, window }: SyncParts): string | undefined {
  const key = setup.transport.onAsked === undefined ? failed.first() : undefined
  return key !== undefined && window.state(key) === 'waiting'
    ? `Session "${key}": the other side cannot be reached. Sync retries by itself.`
    : undefined
}
