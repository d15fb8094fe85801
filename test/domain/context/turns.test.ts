import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { createTurnFitter } from '../../../src/domain/context/create-turn-fitter.ts'
import { pairToolCalls } from '../../../src/domain/context/pair-tool-calls.ts'
import { trimToBudget } from '../../../src/domain/context/trim-to-budget.ts'
import { turnStarts } from '../../../src/domain/context/turn-starts.ts'
import { atOnce } from '../../../src/domain/steps.ts'
import { anyHistory, dialects, isPartOf, unpairedIn } from './support/histories.ts'

const user = (content: string): Message => ({ role: 'user', content })
const answer = (content: string): Message => ({ role: 'assistant', content })
const system: Message = { role: 'system', content: 'Be kind.' }
const one = (): number => 1

describe('a turn', () => {
  it('starts at a user message that answers no tool call', () => {
    const { anthropic, openai } = dialects
    const history = [
      system,
      user('a'),
      anthropic!.call(['x'], ''),
      ...anthropic!.results(['x']),
      answer('b'),
      user('c'),
      openai!.call(['x'], ''),
      ...openai!.results(['x']),
      user('d'),
    ]
    expect(turnStarts(history)).toEqual([1, 5, 8])
  })
})

describe('trimming', () => {
  const history = [system, answer('Welcome.'), user('a'), answer('b'), user('c'), answer('d'), user('e')]
  it.each([
    [7, 7, 0],
    [6, 6, 1],
    [5, 4, 3],
    [4, 4, 3],
    [3, 2, 5],
    [2, 2, 5],
    [1, 1, 6],
    [0, 0, 7],
  ])('to %i leaves %i of the newest, and the system messages in front', (budget, left, leftOut) => {
    const trimmed = trimToBudget(history, budget, one)
    expect(trimmed).toMatchObject({ tokens: left, leftOut })
    expect(trimmed.messages).toEqual(left === 0 ? [] : [system, ...history.slice(history.length - left + 1)])
  })
  it('counts the turns that stay', () => {
    expect([7, 6, 5, 2, 1].map((budget) => trimToBudget(history, budget, one).turns)).toEqual([3, 3, 2, 1, 0])
  })
  it('measures a turn without what is unpaired in it', () => {
    const lost = [user('a'), dialects['openai']!.call(['x', 'y'], ''), ...dialects['openai']!.results(['x'])]
    expect(trimToBudget([...lost, user('b')], 2, one)).toEqual({
      messages: [user('a'), user('b')],
      tokens: 2,
      turns: 2,
      leftOut: 0,
    })
  })

  const cost = (message: Message): number => JSON.stringify(message).length % 50
  const total = (messages: readonly Message[]): number => messages.reduce((sum, message) => sum + cost(message), 0)

  it('keeps whole turns, as many as fit, in order, with nothing unpaired', () => {
    fc.assert(
      fc.property(anyHistory, fc.nat({ max: 600 }), (raw, budget) => {
        const history = raw.filter((message) => !('toolCalls' in message))
        const { messages, tokens, leftOut } = trimToBudget(history, budget, cost)
        expect(tokens).toBe(total(messages))
        expect(tokens).toBeLessThanOrEqual(budget)
        expect(unpairedIn(messages)).toEqual([])
        expect(isPartOf(messages, history)).toBe(true)
        // What stays is the leading system messages and everything from the start of some turn on.
        const leading = history.findIndex(({ role }) => role !== 'system')
        const front = history.slice(0, leading < 0 ? history.length : leading)
        const cuts = [front.length, ...turnStarts(history), history.length].map((from) => [
          ...front,
          ...pairToolCalls(history.slice(from)),
        ])
        const options = total(front) > budget ? [[]] : cuts
        expect(options).toContainEqual([...messages])
        expect(messages.length).toBe(
          Math.max(...options.filter((option) => total(option) <= budget).map(({ length }) => length)),
        )
        expect(leftOut === 0).toBe(total(pairToolCalls(history)) <= budget)
      }),
      { numRuns: 3000 },
    )
  })

  it('comes to the same when the history is taken in page by page', () => {
    fc.assert(
      fc.property(anyHistory, fc.nat({ max: 600 }), fc.integer({ min: 1, max: 7 }), (raw, budget, size) => {
        const history = raw.filter(({ role }) => role !== 'system')
        const fitter = createTurnFitter<Message>(budget, cost)
        let isFull = false
        for (let end = history.length; end > 0 && !isFull; end -= size)
          isFull = fitter.add(history.slice(Math.max(0, end - size), end))
        const { messages, used } = atOnce(fitter.end())
        expect({ messages, used }).toEqual({
          messages: trimToBudget(history, budget, cost).messages,
          used: history.length - trimToBudget(history, budget, cost).leftOut,
        })
      }),
      { numRuns: 2000 },
    )
  })

  it('pairs and counts each message once, in however many pages one long turn comes', () => {
    const counted = new Map<Message, number>()
    const count = (message: Message): number => {
      counted.set(message, (counted.get(message) ?? 0) + 1)
      return 1
    }
    const { call, results } = dialects['openai']!
    const history = [
      user('a'),
      ...Array.from({ length: 300 }, (_, i) => [call([`${i}`], ''), ...results([`${i}`])]).flat(),
    ]
    const fitter = createTurnFitter<Message>(1000, count)
    for (let end = history.length; end > 0; end -= 10) fitter.add(history.slice(Math.max(0, end - 10), end))
    expect(atOnce(fitter.end())).toMatchObject({ tokens: 601, turns: 1, used: 601 })
    expect([...counted.values()].every((times) => times === 1)).toBe(true)
  })

  it('keeps, where it is asked to, a part of the newest turn, and of no other', () => {
    const parts = (budget: number) => {
      const fitter = createTurnFitter<Message>(budget, one, { keepsNewest: true })
      for (const page of [[answer('4')], [answer('2'), answer('3')], [user('b'), answer('1')], [user('a')]])
        fitter.add(page)
      const { messages, isPart, used } = atOnce(fitter.end())
      return [messages.map(({ content }) => content).join(''), isPart, used]
    }
    expect([-1, 0, 1, 2, 4, 5, 6].map(parts)).toEqual([
      ['b', true, 1],
      ['b', true, 1],
      ['b', true, 1],
      ['b4', true, 2],
      ['b234', true, 4],
      ['b1234', false, 5],
      ['ab1234', false, 6],
    ])
  })

  it('looks at nothing in front of the first turn that has no room', () => {
    const fitter = createTurnFitter<Message>(3, one)
    expect(fitter.add([user('c'), answer('d')])).toBe(false)
    expect(fitter.add([user('a'), answer('b')])).toBe(true)
    // Half a turn is enough to know.
    const other = createTurnFitter<Message>(3, one)
    expect(other.add([answer('1'), answer('2'), answer('3'), answer('4')])).toBe(true)
    expect(atOnce(other.end())).toMatchObject({ messages: [], used: 0 })
  })
})
