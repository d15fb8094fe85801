import type { CallEvent, KeyEvent, ListEvent, SyncEvent, WorkEvent } from './machine-event.ts'
import type { SyncMachineState } from './machine-state.ts'
import type { Moved } from './moved.ts'
import { stepCalls } from './step-calls.ts'
import { stepKeys } from './step-keys.ts'
import { stepList } from './step-list.ts'
import { stepWork } from './step-work.ts'

/**
 * What an event makes of the state of sync, and what has to be done then. Pure: the driver does it, and turns what comes
 * of it into events.
 */
export function step(state: SyncMachineState, event: SyncEvent): Moved {
  if (isOf(listEvents, event)) return stepList(state, event)
  if (isOf(keyEvents, event)) return stepKeys(state, event)
  if (isOf(callEvents, event)) return stepCalls(state, event)
  return stepWork(state, event satisfies WorkEvent)
}

const listEvents: Record<ListEvent['type'], true> = {
  listUp: true,
  listLost: true,
  listArrived: true,
  listSetBack: true,
  peerCame: true,
  listMoved: true,
  listRefused: true,
}

const keyEvents: Record<KeyEvent['type'], true> = {
  listChanged: true,
  keyChecked: true,
  keySettled: true,
  keyChangeBegan: true,
  keysTaken: true,
  keyChangeEnded: true,
}

const callEvents: Record<CallEvent['type'], true> = {
  started: true,
  pauseAsked: true,
  resumeAsked: true,
  planAsked: true,
  retryAsked: true,
  dropAsked: true,
  syncAsked: true,
  syncPrepared: true,
  callerServed: true,
  closeAsked: true,
  watched: true,
}

function isOf<T extends SyncEvent['type']>(
  types: Record<T, true>,
  event: SyncEvent,
): event is Extract<SyncEvent, { readonly type: T }> {
  return event.type in types
}
