import type { Message } from '../../contract/message.ts'
import { atOnce } from '../steps.ts'
import { createTurnFitter } from './create-turn-fitter.ts'
import { leadingSystem } from './leading-system.ts'

/** The part of a history that fits. */
export interface TrimmedHistory<M extends Message> {
  readonly messages: readonly M[]
  readonly tokens: number
  readonly turns: number
  /** The number of messages that were left out for want of room. */
  readonly leftOut: number
}

/**
 * Limits a history to a budget: the oldest whole turns are left out until the rest fits, and calls without a result and
 * results without a call are taken out. System messages at the start stay as long as they fit by themselves. The result
 * may be empty.
 *
 * Source: PicoClaw, `trimHistoryToFitContextWindow`
 */
export function trimToBudget<M extends Message>(
  messages: readonly M[],
  budget: number,
  countTokens: (message: M) => number,
): TrimmedHistory<M> {
  const leading = messages.slice(0, leadingSystem(messages))
  const spent = leading.reduce((sum, message) => sum + countTokens(message), 0)
  if (spent > budget) return { messages: [], tokens: 0, turns: 0, leftOut: messages.length }
  const fitter = createTurnFitter<M>(budget - spent, countTokens)
  fitter.add(messages.slice(leading.length))
  const { messages: kept, tokens, turns, used } = atOnce(fitter.end())
  return {
    messages: [...leading, ...kept],
    tokens: spent + tokens,
    turns,
    leftOut: messages.length - leading.length - used,
  }
}
