import type { EntryRef } from '../../contract/entry.ts'
import type { JsonValue } from '../../contract/json.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { printOfText } from '../../domain/crc32.ts'

/** Type of the entries with the agent's state. */
export const stateType = 'ag-ui state'

/** What is known of the messages of a session: they are written only when they changed. */
export interface RecordedThread {
  /** A print of each message by its id, in the order of the list. */
  readonly prints: Map<string, string>
  /** Entries of messages that did not come from an agent, by the id that agents know them by. */
  readonly places: Map<string, EntryRef>
  /** Print of the state that was stored last. */
  state?: string | undefined
}

const threads = new WeakMap<object, RecordedThread>()

/** @param session - a handle: another one, of another tab or opened later, begins anew */
export function threadOf(session: object): RecordedThread {
  const known = threads.get(session)
  if (known !== undefined) return known
  const thread: RecordedThread = { prints: new Map(), places: new Map() }
  threads.set(session, thread)
  return thread
}

/** Equal for equal JSON. */
export const printOf = (value: object): string => printOfText(canonicalJson(value as JsonValue))
