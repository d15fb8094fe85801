import type { EntryView } from '../../../contract/entry.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { PolicyHandler, PolicyRequest, ResizeHandler, ResizeOptions } from '../memo-types.ts'
import type { MemoSettings } from '../rules/memo-state.ts'
import type { ChangeInTurn } from './change-in-turn.ts'
import { lookAtSession, type MemoLook } from './look-at-session.ts'
import { readTranscript } from './read-transcript.ts'
import type { CallLimits, MemoUpdaters } from './update-memo.ts'

/** The parts of a memo session that a resize needs. */
export interface MemoTools extends MemoUpdaters {
  readonly store: SessionStore
  readonly key: string
  readonly parent: MemoSettings
  /** Whether a resize leaves the memo as it is, rather than fail, when nothing can update it. */
  readonly isMemoLeft: boolean
  readonly timeoutMs: number
  readonly policy?: PolicyHandler | undefined
  handlerOf(type: string): ResizeHandler | 'default' | undefined
  readonly inTurn: ChangeInTurn
}

/** The session as it is now, with the limits of this call. */
export async function look({ store, key, parent }: MemoTools, { signal, chars }: ResizeOptions): Promise<MemoLook> {
  const seen = await lookAtSession(store, key, parent, signal)
  return chars === undefined ? seen : { ...seen, rules: { ...seen.rules, chars } }
}

/** The full view up to the end that was read before. Later entries are left to the next resize. */
export async function readFull(
  { store, key }: MemoTools,
  { branch, end }: MemoLook,
  { signal }: ResizeOptions,
): Promise<readonly EntryView[]> {
  return (await readTranscript(store, key, { branch, signal })).entries.filter(({ order }) => order <= end)
}

/** The request to a policy or a handler of the app. */
export function requestOf(
  { current, memo, settings, turns, state: { lastResizeTurn } }: MemoLook,
  full: readonly Message[],
  signal: AbortSignal,
): PolicyRequest {
  return { full, current, memo, settings, turns, lastResizeTurn, signal }
}

export const limitsOf = ({ timeoutMs }: MemoTools, { signal }: ResizeOptions): CallLimits => ({ signal, timeoutMs })
