import type { ListEvent } from './machine-event.ts'
import type { SyncMachineState } from './machine-state.ts'
import { type Moved, moved, review, tell } from './moved.ts'
import { proceed } from './step-keys.ts'

/** What the connection of the list leads to. */
export function stepList(state: SyncMachineState, event: ListEvent): Moved {
  switch (event.type) {
    case 'listUp':
      return moved(state, { list: event.list })
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
