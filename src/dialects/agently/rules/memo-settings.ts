import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { isObject } from '../../../domain/is-object.ts'
import type { MemoSettings } from './memo-state.ts'
import { pythonInt } from './python-int.ts'

/** The rules of a memo session that follow from its settings. */
export interface MemoRules {
  /** Size from which the current view is resized, in code points; 0 or less: never. */
  readonly chars: number
  /** Maximum number of messages in the current view; `null`: as many as `chars` allows. */
  readonly messages: number | null
  /** Turns after which the current view is resized; 0 or less: never. */
  readonly everyNTurns: number
  readonly isMemoOn: boolean
  /** The instructions for the model that updates the memo. */
  readonly instruct: JsonValue
}

export const defaultInstruct: readonly string[] = [
  'Update the memo dictionary based on the provided messages.',
  'Keep stable preferences, constraints, and facts that help future turns.',
  'Add new keys or update existing ones as needed.',
  'Return the updated memo dictionary.',
]

/**
 * Reads settings: `limit` overrides `resize`, and `memo.enabled` (if it is set) overrides `mode`; a value that is not a
 * number counts as not set. A negative number of messages counts as 0.
 *
 * @param settings - the session's own, merged over those of its parent, see {@link mergeSettings}
 * Source: AgentlyMemoSession; its older names `max_current_chars` and `keep_last_messages` have no effect
 */
export function readMemoRules(settings: MemoSettings): MemoRules {
  const [limit, resize, memo] = [objectAt(settings, 'limit'), objectAt(settings, 'resize'), objectAt(settings, 'memo')]
  const messages = pythonInt(limit['messages'] ?? resize['max_keep_messages_count'])
  const enabled = memo['enabled']
  return {
    chars: pythonInt(limit['chars'] ?? resize['max_messages_text_length']) ?? 12_000,
    messages: messages === undefined ? null : Math.max(0, messages),
    everyNTurns: pythonInt(resize['every_n_turns']) ?? 8,
    isMemoOn: enabled === undefined || enabled === null ? settings['mode'] === 'memo' : Boolean(enabled),
    instruct: memo['instruct'] ?? [...defaultInstruct],
  }
}

/** Merges settings over others: objects are merged, everything else is replaced. Source: Agently's settings store */
export function mergeSettings(under: MemoSettings, over: MemoSettings): MemoSettings {
  const merged: Record<string, JsonValue | undefined> = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const before = Object.hasOwn(under, name) ? under[name] : undefined
    define(merged, name, isObject(before) && isObject(value) ? mergeSettings(before, value) : value)
  }
  return merged
}

/** Settings with one value at a place, such as `['resize', 'every_n_turns']`. */
export function settingAt(place: readonly string[], value: JsonValue): MemoSettings {
  return [...place].reverse().reduce<JsonValue>((inner, name) => define({}, name, inner), value) as MemoSettings
}

/** Sets a member of any name, including `__proto__`. */
function define(target: Record<string, JsonValue | undefined>, name: string, value: JsonValue | undefined): JsonObject {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  return target
}

function objectAt(settings: JsonObject, name: string): JsonObject {
  const value = settings[name]
  return isObject(value) ? value : {}
}
