import type { Message } from '../../../contract/message.ts'
import { turnStarts } from '../../../domain/context/turn-starts.ts'

/**
 * Finds a place near an index where a history can be cut without splitting a turn: before the last `user` message at or
 * before the index, otherwise before the first one after it.
 *
 * @param target - the desired index
 * @returns how many messages to cut off; 0 when there is no such place, or nothing to cut; the target itself in a
 * history without `user` messages. Source: PicoClaw, `findSafeBoundary`
 */
export function findSafeBoundary(history: readonly Pick<Message, 'role'>[], target: number): number {
  if (target <= 0 || history.length === 0) return 0
  if (target >= history.length) return history.length
  const turns = turnStarts(history)
  if (turns.length === 0) return target
  const before = turns.findLast((start) => start <= target) ?? 0
  return before > 0 ? before : (turns.find((start) => start > target) ?? 0)
}
