import type { Message } from '../../../contract/message.ts'
import { turnStarts } from '../../../domain/context/turn-starts.ts'
import { findSafeBoundary } from './find-safe-boundary.ts'

/** The result of an emergency compression. */
export interface ForcedCompression<M> {
  readonly kept: readonly M[]
  /** The index from which the history stays as it is; its length when {@link kept} is a single earlier message. */
  readonly start: number
  /** The number of dropped messages. */
  readonly dropped: number
}

/**
 * Halves a history without a model, when a request was refused as too long or would be. It drops the older half of the
 * turns; of a single turn the part before its middle, or, if that can't be cut, everything but the user's message.
 *
 * @returns `undefined` for a history of two messages or less, from which nothing is dropped
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

/** Adds a note on the dropped messages to a summary. Source: PicoClaw, the same words */
export function withCompressionNote(summary: string, dropped: number): string {
  const note = `[Emergency compression dropped ${dropped} oldest messages due to context limit]`
  return summary === '' ? note : `${summary}\n\n${note}`
}
