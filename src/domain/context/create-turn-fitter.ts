import type { Message } from '../../contract/message.ts'
import { pushAll } from '../push-all.ts'
import { overEach, type Steps } from '../steps.ts'
import { isToolResult } from './is-tool-result.ts'
import { pairToolCalls } from './pair-tool-calls.ts'

/** The newest whole turns of a history that fit a budget. */
interface FittedTurns<M extends Message> {
  /** Oldest first, calls and results complete. */
  readonly messages: readonly M[]
  readonly tokens: number
  readonly turns: number
  /** How many of the added messages these turns were made of. */
  readonly used: number
  /** Whether only a part of the newest turn is there, because the whole exceeds the budget. */
  readonly isPart: boolean
}

/** Receives a history from its end. */
export interface TurnFitter<M extends Message> {
  /** Adds the messages in front of all that were added. @returns whether there is no room for more */
  add(older: readonly M[]): boolean
  /** There are no more messages in front. */
  end(): Steps<FittedTurns<M>>
}

export interface TurnFitterOptions {
  /**
   * Whether the newest turn stays even when it does not fit: the user's message that starts it at any cost, and as much
   * of the end of the rest as there is room for.
   */
  readonly keepsNewest?: boolean
}

/**
 * A message and the results right after it, as they are sent. No pair of a call and its result extends over more than
 * one block.
 */
interface Block<M extends Message> {
  readonly paired: readonly M[]
  readonly cost: number
  /** How many messages it was made of. */
  readonly size: number
}

/**
 * Finds the newest whole turns that fit, without reading messages older than the first turn that does not fit. Messages
 * before the first turn count as an older turn. A turn is measured as it is sent: without unpaired calls and results.
 * Each message is paired and counted once, however long its turn is and in however many pieces it comes.
 */
export function createTurnFitter<M extends Message>(
  budget: number,
  countTokens: (message: M) => number,
  { keepsNewest = false }: TurnFitterOptions = {},
): TurnFitter<M> {
  /** Blocks of turns that fit, newest first. */
  const fitted: Block<M>[] = []
  /** Blocks of a turn whose start was not added yet, newest first, and their cost. */
  let pending: Block<M>[] = []
  let cost = 0
  /** Results whose call was not added yet. */
  let openResults: readonly M[] = []
  let tokens = 0
  let turns = 0
  let used = 0
  let isFull = false
  let isPart = false

  function addBlock(messages: readonly M[]): void {
    const paired = pairToolCalls(messages)
    const block = {
      paired,
      cost: paired.reduce((sum, message) => sum + countTokens(message), 0),
      size: messages.length,
    }
    pending.push(block)
    cost += block.cost
  }
  function closeTurn(isTurn: boolean): void {
    isFull = tokens + cost > budget
    if (isFull && !(keepsNewest && used === 0)) return
    const blocks = isFull ? partOf(pending, isTurn, budget - tokens) : pending
    isPart = isFull
    pushAll(fitted, blocks)
    tokens += sumOf(blocks, (block) => block.cost)
    used += sumOf(blocks, ({ size }) => size)
    turns += isTurn && blocks.some(({ paired }) => paired.length > 0) ? 1 : 0
    pending = []
    cost = 0
  }

  return {
    add: (older) => {
      const messages = openResults.length === 0 ? older : [...older, ...openResults]
      let end = messages.length
      for (let start = end - 1; start >= 0 && !isFull; start--) {
        const message = messages[start]!
        if (isToolResult(message)) continue
        addBlock(messages.slice(start, end))
        end = start
        if (message.role === 'user') closeTurn(true)
      }
      openResults = messages.slice(0, end)
      // The rest of a turn only increases its cost.
      isFull ||= tokens + cost > budget && !(keepsNewest && used === 0)
      return isFull
    },
    *end() {
      if (!isFull && pending.length + openResults.length > 0) {
        addBlock(openResults)
        closeTurn(false)
      }
      const messages: M[] = []
      yield* overEach(fitted.reverse(), ({ paired }) => pushAll(messages, paired))
      return { messages, tokens, turns, used, isPart }
    },
  }
}

/** The start of a turn, if it was added, and the newest blocks that fit with it. Newest first, as given. */
function partOf<M extends Message>(blocks: readonly Block<M>[], isTurn: boolean, budget: number): readonly Block<M>[] {
  const rest = isTurn ? blocks.slice(0, -1) : blocks
  const start = blocks.slice(rest.length)
  let room = budget - sumOf(start, ({ cost }) => cost)
  const tooMuch = rest.findIndex(({ cost }) => (room -= cost) < 0)
  return [...(tooMuch < 0 ? rest : rest.slice(0, tooMuch)), ...start]
}

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)
