import type { SessionError } from '../../contract/errors.ts'

/** If a worker loses its database within this time of its start, this way of reaching it does not work. */
const youngMs = 5000
/** Pauses between attempts to reach the database: they grow from the first to the longest one. */
export const [firstPauseMs, longestPauseMs] = [2000, 30_000]

/** What lasts from one loss to the next. Times are those of `performance.now()`. */
interface Lasting {
  /** The way by which the database was reached last, as an index of the ways there are. */
  readonly way: number
  readonly openedAt: number
  /** When writes began to be held the last time, and the pause that the next attempt waits for. */
  readonly heldAt: number
  readonly pauseMs: number
}

/** What each state needs besides. */
interface Needs {
  /** A worker reaches the database, as far as is known. */
  readonly open: unknown
  /**
   * It was lost, and the way `way` is being tried. `why` it was lost: absent for a worker that died, `''` if the database
   * was replaced.
   */
  readonly reopening: { readonly why: string | undefined }
  /** No way works. It is being looked whether the storage is full. */
  readonly exhausted: { readonly why: string }
  /** Writes are held in memory, and an attempt is made from time to time. */
  readonly memory: { readonly isFull: boolean; readonly lookedAt: number }
  /** Such an attempt is under way. */
  readonly looking: { readonly isFull: boolean; readonly lookedAt: number }
  /** It was found again. The held writes are stored next. */
  readonly returning: unknown
  /** Another database is in its place. Nothing can be done any more. */
  readonly lost: { readonly error: SessionError }
  readonly closed: unknown
}

type State<At extends keyof Needs> = Lasting & { readonly at: At } & Needs[At]

/** Where a store is whose worker may lose its database. */
export type RecoveryState = { readonly [At in keyof Needs]: State<At> }[keyof Needs]

export type RecoveryEvent =
  | { readonly type: 'lost'; readonly why: string | undefined; readonly now: number; readonly ways: number }
  /** A way worked, with the index `way` when writes were held. */
  | { readonly type: 'opened'; readonly now: number; readonly way?: number }
  | { readonly type: 'wayFailed'; readonly message: string; readonly ways: number }
  /** An error that no other way mends. */
  | { readonly type: 'gaveUp' }
  | { readonly type: 'roomChecked'; readonly isFull: boolean; readonly now: number }
  /** The pause is over or the page is shown: it is time for an attempt. */
  | { readonly type: 'lookDue' }
  /** Somebody waits for the database. */
  | { readonly type: 'called'; readonly now: number }
  | { readonly type: 'notFound'; readonly isFull: boolean; readonly now: number }
  | { readonly type: 'taken' }
  | { readonly type: 'wiped'; readonly error: SessionError }
  | { readonly type: 'closed' }

export function initialRecovery(): RecoveryState {
  const never = Number.NEGATIVE_INFINITY
  return { at: 'open', way: 0, openedAt: never, heldAt: never, pauseMs: firstPauseMs }
}

type Event<T extends RecoveryEvent['type']> = Extract<RecoveryEvent, { readonly type: T }>
type Moves<At extends RecoveryState['at']> = {
  readonly [T in RecoveryEvent['type']]?: (state: State<At>, event: Event<T>) => RecoveryState
}

const close = (state: RecoveryState): RecoveryState => ({ ...lasting(state), at: 'closed' })
const wipe = (state: RecoveryState, { error }: Event<'wiped'>): RecoveryState => ({
  ...lasting(state),
  at: 'lost',
  error,
})
const look = (state: State<'memory'>): RecoveryState => ({ ...state, at: 'looking' })

function lose(state: State<'open'>, { why, now, ways }: Event<'lost'>): RecoveryState {
  if (!why || now - state.openedAt >= youngMs) return { ...lasting(state), at: 'reopening', why }
  // A way that did not last long is not tried again.
  return nextWay({ ...state, at: 'reopening', why }, why, ways)
}

function nextWay(state: State<'reopening'>, why: string, ways: number): RecoveryState {
  const way = state.way + 1
  return way < ways ? { ...state, way, why } : { ...lasting(state), at: 'exhausted', why }
}

/** Every move there is. An event that has no move in a state changes nothing there. */
const moves: { readonly [At in RecoveryState['at']]: Moves<At> } = {
  open: { lost: lose, closed: close },
  reopening: {
    opened: (state, { now }) => ({ ...lasting(state), at: 'open', openedAt: now }),
    // The first error is the cause; later ones only concern the alternatives.
    wayFailed: (state, { message, ways }) => nextWay(state, state.why || message, ways),
    gaveUp: (state) => ({ ...lasting(state), at: 'open' }),
    wiped: wipe,
    closed: close,
  },
  exhausted: {
    // The pauses keep growing for a database that comes and goes.
    roomChecked: (state, { isFull, now }) => ({
      ...lasting(state),
      at: 'memory',
      way: 0,
      openedAt: now,
      pauseMs: now - state.heldAt > longestPauseMs * 2 ? firstPauseMs : state.pauseMs,
      heldAt: now,
      lookedAt: now,
      isFull,
    }),
    closed: close,
  },
  memory: {
    lookDue: look,
    called: (state, { now }) => (now - state.lookedAt > firstPauseMs ? look(state) : state),
    closed: close,
  },
  looking: {
    opened: (state, { now, way = 0 }) => ({
      ...lasting(state),
      at: 'returning',
      way,
      openedAt: now,
      pauseMs: longer(state.pauseMs),
    }),
    notFound: (state, { isFull, now }) => ({
      ...state,
      at: 'memory',
      isFull,
      lookedAt: now,
      pauseMs: longer(state.pauseMs),
    }),
    wiped: wipe,
    closed: close,
  },
  returning: { taken: (state) => ({ ...lasting(state), at: 'open' }), closed: close },
  lost: { closed: close },
  closed: {},
}

/** What an event makes of the state. */
export function moveRecovery(state: RecoveryState, event: RecoveryEvent): RecoveryState {
  const move = moves[state.at][event.type] as ((from: RecoveryState, by: RecoveryEvent) => RecoveryState) | undefined
  return move?.(state, event) ?? state
}

const longer = (pauseMs: number): number => Math.min(pauseMs * 2, longestPauseMs)

const lasting = ({ way, openedAt, heldAt, pauseMs }: RecoveryState): Lasting => ({ way, openedAt, heldAt, pauseMs })
