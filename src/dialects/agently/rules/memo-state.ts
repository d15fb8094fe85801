import type { JsonObject } from '../../../contract/json.ts'
import { isObject } from '../../../domain/is-object.ts'

/**
 * Settings of one session as AgentlyMemoSession nests them below `session`: `mode`, `limit`, `resize`, `memo`, and
 * whatever else was set.
 */
export type MemoSettings = JsonObject

/**
 * What a memo session remembers beside its log and its memo; lies in the metadata field `contextState`. Positions are
 * orders, because a merge moves every index: an entry belongs to the part up to a position when its order is not after
 * it.
 */
export interface MemoState {
  readonly settings: MemoSettings
  /** Turns (assistant messages appended) up to {@link at}; those after it are counted in the log. */
  readonly turns: number
  /** `''`: the beginning. */
  readonly at: string
  readonly lastResizeTurn: number
  /** Up to where the memo has taken in what was said. `''`: nothing yet. */
  readonly memoCursor: string
}

export const emptyMemoState: MemoState = { settings: {}, turns: 0, at: '', lastResizeTurn: 0, memoCursor: '' }

/** The state in a session's metadata. What another device or a file left unusable counts as not set. */
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
