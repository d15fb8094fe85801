import { refillFromMirror } from '../upkeep/refill-from-mirror.ts'
import { moveLeftSessions } from '../worker/move-left-sessions.ts'
import { hasLeftSessions } from './has-left-sessions.ts'
import type { LadderResult, OpeningAttempt } from './ladder.ts'

/**
 * Moves sessions that belong in an opened store, but are stored elsewhere, into it before anybody reads it. Those that
 * can't be moved stay where they are.
 */
export async function makeWhole(opened: LadderResult, attempt: OpeningAttempt): Promise<LadderResult> {
  const filled = opened.mirror?.hasLost ? { ...opened, refill: await refillFromMirror(opened.mode, attempt) } : opened
  return hasLeftSessions(attempt.name) ? moveLeftSessions(filled, attempt).catch(() => filled) : filled
}
