import type { Message } from '../../../contract/message.ts'
import { turnStarts } from '../../../domain/context/turn-starts.ts'

/**
 * Where a history can be cut near an index without tearing a turn: in front of the last `user` message at or before it,
 * else in front of the first one after it.
 *
 * @param target - the index wanted
 * @returns how many messages to cut off; 0 when there is no such place, or nothing is to be cut; the target itself in a
 *   history without `user` messages Source: PicoClaw, `findSafeBoundary`
 */
export function findSafeBoundary(history: readonly Pick<Message, 'role'>[], target: number): number {
  if (target <= 0 || history.length === 0) return 0
  if (target >= history.length) return history.length
  const turns = turnStarts(history)
  if (turns.length === 0) return target
  const before = turns.findLast((start) => start <= target) ?? 0
  return before > 0 ? before : (turns.find((start) => start > target) ?? 0)
}
