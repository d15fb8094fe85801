import type { LinkStatus } from '../link.ts'

/** What lasts while a document is open. */
interface Live {
  /** A question what the other side has is on its way: the next one waits. */
  readonly isAsking: boolean
}

/** What is known once the other side is reached. */
interface Reached extends Live {
  /** It takes nothing from here. */
  readonly isReadonly: boolean
}

/** What each state needs. */
interface Needs {
  /** `open` has not returned yet: no status may come before that. */
  readonly opening: Live
  /** The other side is not reached yet. */
  readonly connecting: Live
  /** It is reached, and has not said what it has. */
  readonly connected: Reached
  /** It has said what it has. */
  readonly exchanging: Reached
  readonly over: unknown
}

type State<At extends keyof Needs> = { readonly at: At } & Needs[At]

/** Where the exchange of one document with the other side is, whatever carries it. */
export type LineState = { readonly [At in keyof Needs]: State<At> }[keyof Needs]

export type LineEvent =
  /** `open` has returned. */
  | { readonly type: 'started' }
  | { readonly type: 'reached'; readonly isReadonly: boolean }
  /** Something has to happen within this time from now on, in milliseconds. */
  | { readonly type: 'waiting'; readonly ms: number }
  /** The other side says what it has. */
  | { readonly type: 'answered' }
  /** It takes nothing from here any more. */
  | { readonly type: 'refused' }
  | { readonly type: 'askWanted' }
  /** The question is over: the next one may follow. */
  | { readonly type: 'asked' }
  /** It has ended by itself. `mustLeave`: the other side may still think that the document is open. */
  | { readonly type: 'ended'; readonly status: LinkStatus; readonly mustLeave: boolean }
  /** It is closed from here. */
  | { readonly type: 'closed' }

export type LineCommand =
  | { readonly do: 'tell'; readonly status: LinkStatus }
  | { readonly do: 'connect' }
  /** Says who is here. */
  | { readonly do: 'greet' }
  | { readonly do: 'ask' }
  /** Waits for `ms`, and ends the exchange then. One wait at a time. */
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'stopWaiting' }
  | { readonly do: 'stopWriting' }
  | { readonly do: 'release'; readonly mustLeave: boolean }

export interface LineMove {
  readonly state: LineState
  readonly commands: readonly LineCommand[]
}

type Event<T extends LineEvent['type']> = Extract<LineEvent, { readonly type: T }>
type Moves<At extends LineState['at']> = {
  readonly [T in LineEvent['type']]?: (state: State<At>, event: Event<T>) => LineMove
}

export const initialLine: LineState = { at: 'opening', isAsking: false }

const to = (state: LineState, ...commands: readonly LineCommand[]): LineMove => ({ state, commands })
const tell = (status: LinkStatus): LineCommand => ({ do: 'tell', status })
const noMoreWriting: readonly LineCommand[] = [{ do: 'stopWriting' }, tell({ state: 'readonly' })]

function reach({ isAsking }: Live, { isReadonly }: Event<'reached'>): LineMove {
  const told = isReadonly ? noMoreWriting : [tell({ state: 'connected' })]
  return { state: { at: 'connected', isAsking, isReadonly }, commands: [...told, { do: 'greet' }] }
}

/** Told once: what is written from now on stays here. */
const refuse = (state: State<'connected'> | State<'exchanging'>): LineMove =>
  state.isReadonly ? to(state) : { state: { ...state, isReadonly: true }, commands: noMoreWriting }

/** What can happen in every state but the last. */
const always = {
  askWanted: (state: Exclude<LineState, State<'over'>>) =>
    state.isAsking ? to(state) : to({ ...state, isAsking: true }, { do: 'ask' }),
  asked: (state: Exclude<LineState, State<'over'>>) => to({ ...state, isAsking: false }),
  ended: (_: LineState, { status, mustLeave }: Event<'ended'>) =>
    to({ at: 'over' }, { do: 'release', mustLeave }, tell(status)),
  closed: () => to({ at: 'over' }, { do: 'release', mustLeave: true }),
}
const wait = (state: LineState, { ms }: Event<'waiting'>): LineMove => to(state, { do: 'wait', ms })

/** Every move there is. An event that has no move in a state changes nothing there. */
const moves: { readonly [At in LineState['at']]: Moves<At> } = {
  opening: {
    ...always,
    started: (state) => to({ ...state, at: 'connecting' }, tell({ state: 'connecting' }), { do: 'connect' }),
    // Where nothing lies between the two sides.
    reached: reach,
  },
  connecting: { ...always, waiting: wait, reached: reach, answered: (state) => to(state, { do: 'stopWaiting' }) },
  connected: {
    ...always,
    waiting: wait,
    // Let in once more, with another right.
    reached: (state, { isReadonly }) => (isReadonly ? refuse(state) : to(state)),
    answered: (state) => to({ ...state, at: 'exchanging' }, { do: 'stopWaiting' }),
    refused: refuse,
  },
  exchanging: {
    ...always,
    reached: (state, { isReadonly }) => (isReadonly ? refuse(state) : to(state)),
    refused: refuse,
  },
  over: {},
}

/** What an event makes of the state, and what has to be done. */
export function stepLine(state: LineState, event: LineEvent): LineMove {
  const move = moves[state.at][event.type] as ((from: LineState, by: LineEvent) => LineMove) | undefined
  return move?.(state, event) ?? to(state)
}

/** Whether the other side has the document open. */
export const isReached = ({ at }: LineState): boolean => at === 'connected' || at === 'exchanging'
