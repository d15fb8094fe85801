import type { Message } from '../../contract/message.ts'
import { createTurnFitter } from './create-turn-fitter.ts'
import { leadingSystem } from './leading-system.ts'

/** What of a history fits. */
export interface TrimmedHistory<M extends Message> {
  readonly messages: readonly M[]
  readonly tokens: number
  readonly turns: number
  /** Messages that were left out for want of room. */
  readonly leftOut: number
}

/**
 * A history within a budget: the oldest whole turns are left out until the rest fits, and calls without result and results without call
 * are taken out. The system messages it begins with stay as long as they fit by themselves. Nothing may be left.
 *
 * Source: PicoClaw, `trimHistoryToFitContextWindow`
 */
export function trimToBudget<M extends Message>(messages: readonly M[], budget: number, countTokens: (message: M) => number): TrimmedHistory<M> {
  const leading = messages.slice(0, leadingSystem(messages))
  const spent = leading.reduce((sum, message) => sum + countTokens(message), 0)
  if (spent > budget) return { messages: [], tokens: 0, turns: 0, leftOut: messages.length }
  const fitter = createTurnFitter<M>(budget - spent, countTokens)
  fitter.add(messages.slice(leading.length))
  const { messages: kept, tokens, turns, taken } = fitter.end()
  return { messages: [...leading, ...kept], tokens: spent + tokens, turns, leftOut: messages.length - leading.length - taken }
}
