import type { ListEvent } from './machine-event.ts'
import type { SyncMachineState } from './machine-state.ts'
import { type Moved, moved, review, tell } from './moved.ts'
import { proceed } from './step-keys.ts'

/** What the connection of the list leads to. */
export function stepList(state: SyncMachineState, event: ListEvent): Moved {
  switch (event.type) {
    case 'listUp':
      return goUp({ ...state, list: event.list }, state)
    case 'listLost':
      return moved(
        state,
        { list: event.list },
        'forgetSettled',
        'forgetFailures',
        'pauseBlobs',
        // Even if it does not run: sessions may wait there for a peer that has not answered yet.
        'stopWindow',
      )
    case 'listArrived': {
      const { commands, state: next } = proceed(state, { list: event.list })
      return { state: next, commands: [...commands, tell] }
    }
    case 'listSetBack':
      return moved(state, { list: event.list }, 'forgetSettled', 'doubtAll', review)
    case 'peerCame':
      return moved(state, { list: event.list }, 'forgetSettled', review)
    case 'listMoved':
      return moved(state, { list: event.list }, tell)
    case 'listRefused':
      return moved(state, {}, { type: 'quarantineList', reason: event.reason })
  }
}

/**
 * The other side can be reached. While sync is paused, only the list is exchanged.
 *
 * @param before - the state that counts for what is done already
 */
export function goUp({ list, isPaused }: SyncMachineState, before: SyncMachineState): Moved {
  if (isPaused || before.isClosed) return moved(before, { list })
  return moved(before, { list, leftBlobs: [] }, { type: 'retryBlobs', hashes: before.leftBlobs })
}
