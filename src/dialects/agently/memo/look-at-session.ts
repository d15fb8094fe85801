import { readWholeContext } from '../../../client/context/read-whole-context.ts'
import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { HiddenPart } from '../../../contract/store/session-log.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { Steps } from '../../../domain/steps.ts'
import { overEach } from '../../../domain/steps.ts'
import { createBreather, inBreaths } from '../../../pacing/breather.ts'
import { type MemoRules, mergeSettings, readMemoRules } from '../rules/memo-settings.ts'
import { emptyMemoState, type MemoSettings, type MemoState, readMemoState } from '../rules/memo-state.ts'
import { readTranscript } from './read-transcript.ts'

/** The metadata of a memo session. */
export interface MemoMeta {
  readonly place: 'here' | 'unknown' | 'deleted'
  /** When it was begun, or begun again: 0 when there is none. */
  readonly createdAt: number
  readonly memo: JsonObject
  readonly state: MemoState
  /** The metadata field with {@link state}, perhaps next to fields of other code. */
  readonly contextState: JsonObject
}

/** A memo session as it was at one moment. */
export interface MemoLook extends Omit<MemoMeta, 'contextState'> {
  /** Its number (see `EntryPage.session`): another session may get its key. */
  readonly session: number
  /** The session's own settings, merged over its parent's. */
  readonly settings: MemoSettings
  readonly rules: MemoRules
  /** The line that was read. */
  readonly branch: string
  readonly hidden: HiddenPart
  /** Entries of the current view that are in the log. */
  readonly entries: readonly EntryView[]
  /** The replacement of the hidden part, and the messages of {@link entries}. */
  readonly current: readonly Message[]
  /** Entries of the full view that are not in the memo yet. */
  readonly fresh: readonly EntryView[]
  readonly turns: number
  /** Order of the newest entry. */
  readonly end: string
}

/** Reads the metadata of a memo session. A deleted session has none. */
export async function readMemoMeta(store: SessionStore, key: string): Promise<MemoMeta> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined)
    return {
      place: meta === undefined ? 'unknown' : 'deleted',
      createdAt: 0,
      memo: {},
      state: emptyMemoState,
      contextState: {},
    }
  const { createdAt, memo, contextState } = meta
  return { place: 'here', createdAt, memo, state: readMemoState(contextState), contextState }
}

/**
 * Reads the state that a resize decides by. Of the full view, it reads only the entries after the last resize.
 *
 * @param parent - settings that apply where the session has none
 */
export async function lookAtSession(
  store: SessionStore,
  key: string,
  parent: MemoSettings,
  signal?: AbortSignal,
): Promise<MemoLook> {
  const { session } = await store.read(key, { last: 1 })
  const { place, createdAt, memo, state } = await readMemoMeta(store, key)
  const { entries, hidden, branch } = await readWholeContext(store, key, { signal })
  const from = state.at < state.memoCursor ? state.at : state.memoCursor
  // Without a compaction a model gets the whole line.
  const line =
    hidden.compaction === undefined
      ? entries
      : (await readTranscript(store, key, { after: from, branch, signal })).entries
  const settings = mergeSettings(parent, state.settings)
  return {
    session,
    place,
    createdAt,
    memo,
    state,
    settings,
    branch,
    hidden,
    entries,
    rules: readMemoRules(settings),
    ...(await inBreaths(sumUp(hidden, entries, line, state), createBreather())),
    end: [state.at, entries.at(-1)?.order ?? '', line.at(-1)?.order ?? ''].reduce((a, b) => (a > b ? a : b)),
  }
}

/** In steps, because a session that was never resized may have a million messages. */
function* sumUp(
  { messages = [] }: HiddenPart,
  entries: readonly EntryView[],
  line: readonly EntryView[],
  state: MemoState,
): Steps<Pick<MemoLook, 'current' | 'fresh' | 'turns'>> {
  const current = [...messages]
  yield* overEach(entries, ({ message }) => {
    if (message !== undefined) current.push(message)
  })
  const fresh: EntryView[] = []
  let { turns } = state
  yield* overEach(line, (entry) => {
    if (entry.order > state.memoCursor) fresh.push(entry)
    if (entry.order > state.at && isAnswer(entry)) turns += 1
  })
  return { current, fresh, turns }
}

/** A turn is counted by its answer: an assistant's message. */
const isAnswer = ({ message }: EntryView): boolean => message?.role === 'assistant'

export const turnsIn = (entries: readonly EntryView[]): number => entries.filter(isAnswer).length
