import type { JsonObject } from '../../../contract/json.ts'
import { isObject } from '../../../domain/is-object.ts'

/**
 * Settings of one session as AgentlyMemoSession nests them below `session`: `mode`, `limit`, `resize`, `memo`, and
 * whatever else was set.
 */
export type MemoSettings = JsonObject

/**
 * The state of a memo session apart from its log and its memo. It is stored in the metadata field `contextState`.
 * Positions are orders, because a merge moves every index: an entry belongs to the part up to a position when its order
 * is not after it.
 */
export interface MemoState {
  readonly settings: MemoSettings
  /** The number of turns (messages of the assistant) up to {@link at}; later ones are counted in the log. */
  readonly turns: number
  /** `''`: the beginning. */
  readonly at: string
  readonly lastResizeTurn: number
  /** The position up to which messages are in the memo. `''`: none yet. */
  readonly memoCursor: string
}

export const emptyMemoState: MemoState = { settings: {}, turns: 0, at: '', lastResizeTurn: 0, memoCursor: '' }

/**
 * The state in a session's metadata. Invalid values, which another device or a file may have written, count as not set.
 */
export function readMemoState(contextState: JsonObject): MemoState {
  const { settings, turns, at, lastResizeTurn, memoCursor } = contextState
  return {
    settings: isObject(settings) ? settings : emptyMemoState.settings,
    turns: countOr(turns),
    at: typeof at === 'string' ? at : '',
    lastResizeTurn: countOr(lastResizeTurn),
    memoCursor: typeof memoCursor === 'string' ? memoCursor : '',
  }
}

const countOr = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0
