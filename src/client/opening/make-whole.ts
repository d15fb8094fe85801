import { refillFromMirror } from '../upkeep/refill-from-mirror.ts'
import { takeOver } from '../worker/take-over.ts'
import { hasLeftSessions } from './has-left-sessions.ts'
import type { LadderResult, OpeningAttempt } from './ladder.ts'

/**
 * Brings into a store that was opened what belongs in it and is elsewhere, before anybody reads it. What can't be
 * brought stays where it is.
 */
export async function makeWhole(opened: LadderResult, attempt: OpeningAttempt): Promise<LadderResult> {
  const filled = opened.mirror?.hasLost ? { ...opened, refill: await refillFromMirror(opened.mode, attempt) } : opened
  return hasLeftSessions(attempt.name) ? takeOver(filled, attempt).catch(() => filled) : filled
}
