import { isSessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import type { MemoState } from '../rules/memo-state.ts'
import type { ResizeDecision } from '../rules/resize-decision.ts'
import type { MemoLook, MemoMeta } from './look-at-session.ts'
import type { MemoTools } from './memo-tools.ts'
import { patchMeta } from './patch-meta.ts'

/**
 * Writes the memo and the counters of a resize, both at once.
 *
 * @returns `resized`: another tab has resized the same part; `changed`: another tab or the app has written something
 * else
 */
export async function recordResize(
  { store, key, inTurn }: MemoTools,
  seen: MemoLook,
  memo: JsonObject,
  cursor: Partial<MemoState>,
  { type, reason }: ResizeDecision,
): Promise<'written' | 'resized' | 'changed'> {
  const { turns } = seen
  let other: 'resized' | 'changed' = 'changed'
  const change = (now: MemoMeta) => {
    other = now.state.at >= seen.end && now.state.at !== seen.state.at ? 'resized' : 'changed'
    if (fingerprint(now) !== fingerprint(seen)) return undefined
    const contextState = { ...now.contextState, turns, at: seen.end, lastResizeTurn: turns, ...cursor }
    return { memo: { ...memo, last_resize: { type, turn: turns, reason: reason ?? `${type}_resize` } }, contextState }
  }
  const isWritten = await inTurn(() =>
    patchMeta(store, key, change, seen.session).catch((error: unknown) => {
      // The memo is made of a session that is gone.
      if (isSessionError(error, 'SessionNotFound')) return false
      throw error
    }),
  )
  return isWritten ? 'written' : other
}

/**
 * Identifies the values that a resize is based on. Settings are not part of them, because they may change while a model
 * works.
 */
function fingerprint({
  place,
  createdAt,
  memo,
  state: { turns, at, lastResizeTurn, memoCursor },
}: Omit<MemoMeta, 'contextState'>): string {
  return canonicalJson({ place, createdAt, memo, turns, at, lastResizeTurn, memoCursor })
}
