import type { WorkEvent } from './machine-event.ts'
import type { SyncMachineState } from './machine-state.ts'
import { type Moved, moved, review, tell } from './moved.ts'

/** What comes of the store, the sessions and the clocks. */
export function stepWork(state: SyncMachineState, event: WorkEvent): Moved {
  switch (event.type) {
    case 'changesKnown':
    case 'sessionsReread':
    case 'erasingDone':
      return moved(state, {}, review, tell)
    case 'purgesKnown':
      // The server has to remove it, whatever was exchanged before, even if the list does not change.
      return moved(state, {}, 'forgetSettledPurges', 'announcePurges', review, tell)
    case 'published':
      return moved(state, {}, 'askList')
    case 'windowMoved':
      // What arrives is gathered like local changes, and `syncNow` waits for all of it: so it need not wait for the
      // gathering.
      return moved(state, {}, ...(state.callers > 0 ? ['hurryWhenExchanged' as const] : []), tell)
    case 'blobsMoved':
      // The blobs that are left are known at the next start.
      return state.isClosed ? moved(state, {}) : moved(state, {}, 'saveSoon', tell)
    case 'purgesAnnounced':
    case 'storeMoved':
    case 'reviewed':
      return moved(state, {}, tell)
    case 'readonlyFound':
      return moved(state, {}, 'setReadonly')
    case 'reviewNeeded':
      return moved(state, {}, review)
    case 'retryDue':
      return moved(state, {}, { type: 'review', again: event.keys })
    case 'presenceMoved':
      return moved(state, {}, { type: 'tell', what: 'presence' })
    case 'failed':
      return state.isClosed ? moved(state, {}) : moved(state, { lastError: event.message }, tell)
  }
}
