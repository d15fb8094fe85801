import type { KeyCheck } from '../key-check.ts'
import type { LinkStatus } from '../link.ts'

/**
 * What sync is about, in one word. `step` moves from one to another, and only along `phaseMoves`.
 *
 * - `connecting`: the other side cannot be reached (yet). It is tried again and again.
 * - `denied`: the other side refuses the token. This is tried again, too, with another token.
 * - `checkingKey`: the other side is there. Its list of sessions has not arrived, or it is not known yet whether our key
 *   is the one that the others use.
 * - `wrongKey`: it is not. Nothing is exchanged.
 * - `exchanging`: sessions are exchanged, or there are none to exchange.
 * - `changingKeys`: everything is moved to another key, and nothing else is done.
 */
type SyncPhase =
  | 'connecting'
  | 'denied'
  | 'checkingKey'
  | 'wrongKey'
  | 'exchanging'
  | 'changingKeys'
  | 'paused'
  | 'closed'

/** What the connection of the list says. */
export interface ListFacts {
  /** Whether it is kept connected. While sync is paused, it is so once a plan was asked for. */
  readonly isOpen: boolean
  /** Whether the other side can be reached: a server, or at least one peer. */
  readonly isUp: boolean
  /** Whether the list of the other side has arrived in this connection. */
  readonly hasList: boolean
  readonly link: LinkStatus
  /** The same, but a trouble lasts until the connection works again, also while another attempt is made. */
  readonly standing: LinkStatus
}

/** How our key stands among those of the others. */
export interface KeyFacts {
  /** The result of the last check, absent before the first. */
  readonly found: KeyCheck | undefined
  /** Whether that result is about what the list says now. */
  readonly isCurrent: boolean
}

/** What decides over sync as a whole. What is known of single sessions is in the tables of `SyncParts`. */
export interface SyncFacts {
  readonly isClosed: boolean
  readonly isPaused: boolean
  readonly isChangingKeys: boolean
  readonly list: ListFacts
  readonly key: KeyFacts
  /** Hashes of blobs that an earlier run left, until they are retried. */
  readonly leftBlobs: readonly string[]
  /** How many callers wait in `syncNow`. */
  readonly callers: number
  readonly lastError: string | undefined
}

export interface SyncMachineState extends SyncFacts {
  readonly phase: SyncPhase
}

/** The list is not connected, nor is that tried. */
export const noList: ListFacts = {
  isOpen: false,
  isUp: false,
  hasList: false,
  link: { state: 'connecting' },
  standing: { state: 'connecting' },
}

/** Keys that were not compared with the list yet. */
export const unchecked: KeyFacts = { found: undefined, isCurrent: false }

/** The state in which sync starts. */
export function initialState(isPaused: boolean, leftBlobs: readonly string[]): SyncMachineState {
  return inPhase({
    isClosed: false,
    isPaused,
    isChangingKeys: false,
    list: noList,
    key: unchecked,
    leftBlobs,
    callers: 0,
    lastError: undefined,
  })
}

export function inPhase(facts: SyncFacts): SyncMachineState {
  return { ...facts, phase: phaseOf(facts) }
}

function phaseOf({ isClosed, isPaused, isChangingKeys, list, key }: SyncFacts): SyncPhase {
  if (isClosed) return 'closed'
  if (isPaused) return 'paused'
  if (isChangingKeys) return 'changingKeys'
  if (!list.isUp) return list.standing.state === 'denied' ? 'denied' : 'connecting'
  if (key.found?.isRight === false) return 'wrongKey'
  return list.hasList && key.isCurrent && key.found !== undefined ? 'exchanging' : 'checkingKey'
}

/**
 * Whether sessions may be connected. This is so before the key is checked, because a session that is connected stays so
 * while the list says something new about keys.
 */
export function mayConnect({ phase }: SyncMachineState): boolean {
  return phase === 'exchanging' || phase === 'checkingKey'
}

/** Whether sessions can be compared with the list, as far as the connection and the key are concerned. */
export function isListOpen({ list, key }: SyncFacts): boolean {
  return list.hasList && key.isCurrent && key.found?.isRight === true
}

/** Whether the record of our key has to be in the list before anything else of ours. */
export function hasRecordToPublish({ key: { found } }: SyncFacts): boolean {
  return found?.isRight === true && found.record !== undefined
}
