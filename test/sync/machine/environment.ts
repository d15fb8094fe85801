import type { SyncEffect } from '../../../src/sync/machine/machine-command.ts'
import type { SyncEvent } from '../../../src/sync/machine/machine-event.ts'
import { initialState, type ListFacts, noList, type SyncMachineState } from '../../../src/sync/machine/machine-state.ts'
import { step } from '../../../src/sync/machine/step.ts'

/** What the parts of sync are about, as far as that decides which events they can report. */
interface Environment {
  readonly isStarted: boolean
  readonly isListOpen: boolean
  readonly isWindowStarted: boolean
  /** A check of the key is under way. */
  readonly isChecking: boolean
  readonly keyChange: 'none' | 'begun' | 'taken'
}

/** A state of sync, and of what is around it. */
export interface Place {
  readonly state: SyncMachineState
  readonly around: Environment
}

export interface Move {
  readonly from: Place
  readonly event: SyncEvent
  readonly commands: readonly SyncEffect[]
  readonly to: Place
}

const starts: readonly Place[] = [false, true].map((isPaused) => ({
  state: initialState(isPaused, ['blob']),
  around: { isStarted: false, isListOpen: false, isWindowStarted: false, isChecking: false, keyChange: 'none' },
}))

const up: ListFacts = {
  isOpen: true,
  isUp: true,
  hasList: false,
  link: { state: 'connected' },
  standing: { state: 'connected' },
}
const lost = (standing: ListFacts['standing']): ListFacts => ({
  isOpen: true,
  isUp: false,
  hasList: false,
  link: standing,
  standing,
})
const right = { isRight: true } as const
const noticed = { isRight: true, notice: 'others use other keys' } as const
const wrong = { isRight: false, message: 'another key is in use' } as const

/** Every event that can come now. */
export function possibleEvents({ state, around }: Place): readonly SyncEvent[] {
  if (!around.isStarted) return [{ type: 'started' }]
  // A list that is opened or closed says so at once, before anything else can come.
  if (state.list.isOpen !== around.isListOpen)
    return [{ type: 'listLost', list: around.isListOpen ? lost({ state: 'connecting' }) : noList }]
  return [...listEvents(state, around), ...keyEvents(state, around), ...otherEvents(state)]
}

function listEvents({ list }: SyncMachineState, { isListOpen }: Environment): readonly SyncEvent[] {
  if (!isListOpen) return []
  return [
    // Among peers, the list may have come before it is known that any are there.
    { type: 'listUp', list: { ...up, hasList: list.hasList } },
    { type: 'listLost', list: lost({ state: 'connecting' }) },
    { type: 'listLost', list: lost({ state: 'denied', message: 'no such token' }) },
    { type: 'listRefused', reason: 'not a list' },
    { type: 'listArrived', list: { ...list, hasList: true } },
    { type: 'listMoved', list },
    { type: 'listSetBack', list },
    { type: 'peerCame', list },
  ]
}

function keyEvents({ key, isClosed }: SyncMachineState, around: Environment): readonly SyncEvent[] {
  const events: SyncEvent[] = [{ type: 'listChanged', isKeyCurrent: false }]
  // Only a check makes it so.
  if (key.isCurrent) events.push({ type: 'listChanged', isKeyCurrent: true })
  if (around.isChecking)
    events.push(
      { type: 'keyChecked', found: right },
      { type: 'keyChecked', found: noticed },
      { type: 'keyChecked', found: wrong },
      { type: 'keySettled' },
    )
  if (around.keyChange === 'none' && !isClosed) events.push({ type: 'keyChangeBegan' })
  if (around.keyChange === 'begun' && !around.isChecking && !isClosed) events.push({ type: 'keysTaken', leftBlobs: [] })
  if (around.keyChange === 'taken' || (around.keyChange === 'begun' && isClosed))
    events.push({ type: 'keyChangeEnded' })
  return events
}

const callTypes = [
  'pauseAsked',
  'resumeAsked',
  'planAsked',
  'retryAsked',
  'dropAsked',
  'syncAsked',
  'closeAsked',
] as const
const workTypes = [
  'changesKnown',
  'purgesKnown',
  'sessionsReread',
  'erasingDone',
  'published',
  'purgesAnnounced',
  'windowMoved',
  'blobsMoved',
  'storeMoved',
  'readonlyFound',
  'reviewed',
  'reviewNeeded',
  'presenceMoved',
] as const

function otherEvents({ callers }: SyncMachineState): readonly SyncEvent[] {
  return [
    ...[...callTypes, ...workTypes].map((type) => ({ type })),
    { type: 'retryDue', keys: ['s'] },
    { type: 'failed', message: 'the store is full' },
    { type: 'watched', key: 's', isWatched: true },
    { type: 'watched', key: 's', isWatched: false },
    callers === 0 ? { type: 'syncPrepared' } : { type: 'callerServed' },
  ]
}

/** The event happens, and the commands are carried out. */
export function move(from: Place, event: SyncEvent): Move {
  const { state, commands } = step(from.state, event)
  const did = (type: SyncEffect['type']): boolean => commands.some((command) => command.type === type)
  const { around } = from
  const windowCommand = commands.findLast(({ type }) => type === 'startWindow' || type === 'stopWindow')
  return {
    from,
    event,
    commands,
    to: {
      state,
      around: {
        isStarted: true,
        isListOpen: did('openList') || (around.isListOpen && !did('closeList')),
        isWindowStarted: windowCommand === undefined ? around.isWindowStarted : windowCommand.type === 'startWindow',
        isChecking: event.type === 'keySettled' ? did('checkKey') : around.isChecking || did('checkKey'),
        keyChange:
          event.type === 'keyChangeBegan'
            ? 'begun'
            : event.type === 'keysTaken'
              ? 'taken'
              : event.type === 'keyChangeEnded'
                ? 'none'
                : around.keyChange,
      },
    },
  }
}

/** Every move that can ever be made. */
export function allMoves(): readonly Move[] {
  const moves: Move[] = []
  const seen = new Set(starts.map(nameOf))
  const left = [...starts]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    for (const event of possibleEvents(place)) {
      const one = move(place, event)
      moves.push(one)
      if (seen.has(nameOf(one.to))) continue
      seen.add(nameOf(one.to))
      left.push(one.to)
    }
  }
  return moves
}

/** The last error decides nothing. */
const nameOf = ({ state, around }: Place): string => JSON.stringify([{ ...state, lastError: undefined }, around])
