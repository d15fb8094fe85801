import type { CallEvent } from './machine-event.ts'
import type { SyncMachineState } from './machine-state.ts'
import { type Moved, moved, review, tell } from './moved.ts'

/** What is called from outside. */
export function stepCalls(state: SyncMachineState, event: CallEvent): Moved {
  switch (event.type) {
    case 'started':
      return moved(state, {}, 'loadStore', ...(state.isPaused ? [] : ['openList' as const]))
    case 'pauseAsked':
      return moved(state, { isPaused: true }, 'closeList', tell, 'stopWindow')
    case 'resumeAsked':
      return resume(state)
    case 'planAsked':
      return moved(
        state,
        {},
        ...(state.list.isOpen || state.isClosed || state.isChangingKeys ? [] : ['openList' as const]),
      )
    case 'retryAsked':
    case 'syncAsked':
      return moved(state, {}, 'retryList')
    case 'dropAsked':
      return moved(state, {}, 'dropList')
    case 'syncPrepared':
      return moved(
        state,
        { callers: state.callers + 1 },
        'forgetSettled',
        ...(state.phase === 'exchanging' ? [{ type: 'retryBlobs', hashes: [] } as const] : []),
        'retryFailed',
        'hurryChanges',
      )
    case 'callerServed':
      return moved(state, { callers: state.callers - 1 })
    case 'closeAsked':
      return state.isClosed ? moved(state, {}) : close(state)
    case 'watched':
      return moved(
        state,
        {},
        { type: 'showWatched', key: event.key, isWatched: event.isWatched },
        ...(event.isWatched ? [review] : []),
      )
  }
}

function close(state: SyncMachineState): Moved {
  return moved(
    state,
    { isClosed: true },
    'stopKeyChange',
    'closeBlobs',
    'closeIntake',
    'saveNow',
    tell,
    'closeList',
    'endErasing',
    'stopWindow',
  )
}

function resume(state: SyncMachineState): Moved {
  if (!state.isPaused || state.isClosed) return moved(state, {})
  if (state.isChangingKeys) return moved(state, { isPaused: false }, tell)
  return moved(
    state,
    { isPaused: false },
    // What was exchanged when sync was paused may not have been published.
    'forgetSettled',
    ...(state.list.isOpen ? [] : ['openList' as const]),
    review,
    tell,
  )
}
