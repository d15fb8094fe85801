import type { Message } from '../../contract/message.ts'
import { pairToolCalls } from './pair-tool-calls.ts'
import { turnStarts } from './turn-starts.ts'

/** The newest whole turns of a history that a budget has room for. */
export interface FittedTurns<M extends Message> {
  /** Oldest first, calls and results complete. */
  readonly messages: readonly M[]
  readonly tokens: number
  readonly turns: number
  /** How many of the messages that were added these turns were made of. */
  readonly taken: number
}

/** Takes in a history from its end. */
export interface TurnFitter<M extends Message> {
  /** Adds what stands in front of all that was added. @returns whether there is no room for more */
  add(older: readonly M[]): boolean
  /** Nothing stands in front any more. */
  end(): FittedTurns<M>
}

/**
 * Makes what finds the newest whole turns that fit, without looking at what is older than the first turn that doesn't. Messages in front
 * of the first turn count as one that is older. A turn is measured as it goes out: without unpaired calls and results.
 */
export function createTurnFitter<M extends Message>(budget: number, countTokens: (message: M) => number): TurnFitter<M> {
  /** Turns that fit, newest first. */
  const fitted: (readonly M[])[] = []
  /** The end of a turn whose start was not added yet. */
  let pending: readonly M[] = []
  let tokens = 0
  let turns = 0
  let taken = 0
  let isFull = false

  const room = (turn: readonly M[]): { readonly paired: readonly M[]; readonly cost: number; readonly fits: boolean } => {
    const paired = pairToolCalls(turn)
    const cost = paired.reduce((sum, message) => sum + countTokens(message), 0)
    return { paired, cost, fits: tokens + cost <= budget }
  }
  function take(turn: readonly M[], isWhole: boolean): void {
    const { paired, cost, fits } = room(turn)
    isFull = !fits
    if (isFull) return
    fitted.push(paired)
    tokens += cost
    turns += isWhole && paired.length > 0 ? 1 : 0
    taken += turn.length
  }

  return {
    add: (older) => {
      if (isFull) return true
      let end = older.length
      for (const start of turnStarts(older).reverse()) {
        take([...older.slice(start, end), ...pending], true)
        if (isFull) return true
        pending = []
        end = start
      }
      pending = [...older.slice(0, end), ...pending]
      // The rest of a turn only makes it dearer.
      isFull = budget < Number.POSITIVE_INFINITY && !room(pending).fits
      return isFull
    },
    end: () => {
      if (!isFull && pending.length > 0) take(pending, false)
      pending = []
      return { messages: fitted.reverse().flat(), tokens, turns, taken }
    },
  }
}
