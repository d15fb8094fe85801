import type { Message } from '../../../contract/message.ts'
import { turnStarts } from '../../../domain/context/turn-starts.ts'
import { findSafeBoundary } from './find-safe-boundary.ts'

/** What an emergency leaves of a history. */
export interface ForcedCompression<M> {
  readonly kept: readonly M[]
  /** Where the end of the history begins that stays as it is; its length when {@link kept} is a message from before. */
  readonly start: number
  /** How many messages are gone. */
  readonly dropped: number
}

/**
 * Halves a history without a model, when a request has been refused as too long or would be: drops the older half of
 * its turns; of a single turn what stands before its middle, or, where that can't be cut, all but the user's message.
 *
 * @returns `undefined` for a history of two messages or less: there is nothing to drop
 * Source: PicoClaw, `forceCompression`
 */
export function forceCompression<M extends Pick<Message, 'role'>>(
  history: readonly M[],
): ForcedCompression<M> | undefined {
  const { length } = history
  if (length <= 2) return undefined
  const turns = turnStarts(history)
  const middle =
    turns.length >= 2 ? turns[Math.floor(turns.length / 2)]! : findSafeBoundary(history, Math.floor(length / 2))
  if (middle > 0) return { kept: history.slice(middle), start: middle, dropped: middle }
  const asked = turns.at(-1)
  const kept = asked === undefined ? [] : [history[asked]!]
  return { kept, start: length, dropped: length - kept.length }
}

/** A summary that says so. Source: PicoClaw, the same words */
export function withCompressionNote(summary: string, dropped: number): string {
  const note = `[Emergency compression dropped ${dropped} oldest messages due to context limit]`
  return summary === '' ? note : `${summary}\n\n${note}`
}
