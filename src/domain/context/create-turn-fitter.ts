import type { Message } from '../../contract/message.ts'
import { isToolResult } from './is-tool-result.ts'
import { pairToolCalls } from './pair-tool-calls.ts'
import { pushAll } from '../push-all.ts'

/** The newest whole turns of a history that a budget has room for. */
export interface FittedTurns<M extends Message> {
  /** Oldest first, calls and results complete. */
  readonly messages: readonly M[]
  readonly tokens: number
  readonly turns: number
  /** How many of the messages that were added these turns were made of. */
  readonly taken: number
  /** Whether there is only a part of the newest turn: the budget has no room for the whole. */
  readonly isPart: boolean
}

/** Takes in a history from its end. */
export interface TurnFitter<M extends Message> {
  /** Adds what stands in front of all that was added. @returns whether there is no room for more */
  add(older: readonly M[]): boolean
  /** Nothing stands in front any more. */
  end(): FittedTurns<M>
}

export interface TurnFitterOptions {
  /**
   * Whether the newest turn stays even where it does not fit: the user's message that starts it whatever it costs, and of what follows as
   * much of the end as there is room for.
   */
  readonly keepsNewest?: boolean
}

/** A message and the results right behind it, as they go out. No pair of a call and its result reaches beyond one. */
interface Block<M extends Message> {
  readonly paired: readonly M[]
  readonly cost: number
  /** Messages it was made of. */
  readonly size: number
}

/**
 * Makes what finds the newest whole turns that fit, without looking at what is older than the first turn that doesn't. Messages in front
 * of the first turn count as one that is older. A turn is measured as it goes out: without unpaired calls and results. Each message is
 * paired and counted once, however long its turn is and in however many pieces it comes.
 */
export function createTurnFitter<M extends Message>(budget: number, countTokens: (message: M) => number, { keepsNewest = false }: TurnFitterOptions = {}): TurnFitter<M> {
  /** Blocks of turns that fit, newest first. */
  const fitted: Block<M>[] = []
  /** Blocks of a turn whose start was not added yet, newest first, and their cost. */
  let pending: Block<M>[] = []
  let cost = 0
  /** Results whose call was not added yet. */
  let torn: readonly M[] = []
  let tokens = 0
  let turns = 0
  let taken = 0
  let isFull = false
  let isPart = false

  function hold(messages: readonly M[]): void {
    const paired = pairToolCalls(messages)
    const block = { paired, cost: paired.reduce((sum, message) => sum + countTokens(message), 0), size: messages.length }
    pending.push(block)
    cost += block.cost
  }
  function take(isTurn: boolean): void {
    isFull = tokens + cost > budget
    if (isFull && !(keepsNewest && taken === 0)) return
    const blocks = isFull ? partOf(pending, isTurn, budget - tokens) : pending
    isPart = isFull
    pushAll(fitted, blocks)
    tokens += sumOf(blocks, (block) => block.cost)
    taken += sumOf(blocks, ({ size }) => size)
    turns += isTurn && blocks.some(({ paired }) => paired.length > 0) ? 1 : 0
    pending = []
    cost = 0
  }

  return {
    add: (older) => {
      const messages = torn.length === 0 ? older : [...older, ...torn]
      let end = messages.length
      for (let start = end - 1; start >= 0 && !isFull; start--) {
        const message = messages[start]!
        if (isToolResult(message)) continue
        hold(messages.slice(start, end))
        end = start
        if (message.role === 'user') take(true)
      }
      torn = messages.slice(0, end)
      // The rest of a turn only makes it dearer.
      isFull ||= tokens + cost > budget && !(keepsNewest && taken === 0)
      return isFull
    },
    end: () => {
      if (!isFull && pending.length + torn.length > 0) {
        hold(torn)
        take(false)
      }
      return { messages: fitted.reverse().flatMap(({ paired }) => paired), tokens, turns, taken, isPart }
    },
  }
}

/** The start of a turn, where it was added, and the newest blocks that there is room for beside it. Newest first, as they are given. */
function partOf<M extends Message>(blocks: readonly Block<M>[], isTurn: boolean, budget: number): readonly Block<M>[] {
  const rest = isTurn ? blocks.slice(0, -1) : blocks
  const start = blocks.slice(rest.length)
  let room = budget - sumOf(start, ({ cost }) => cost)
  const tooMuch = rest.findIndex(({ cost }) => (room -= cost) < 0)
  return [...(tooMuch < 0 ? rest : rest.slice(0, tooMuch)), ...start]
}

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number => items.reduce((sum, item) => sum + of(item), 0)
