import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { defaultBudget } from '../../../src/dialects/picoclaw/rules/context-budget.ts'
import { estimatePicoClawToolTokens } from '../../../src/dialects/picoclaw/rules/estimate-picoclaw-tool-tokens.ts'
import { fallbackSummary } from '../../../src/dialects/picoclaw/rules/fallback-summary.ts'
import { findSafeBoundary } from '../../../src/dialects/picoclaw/rules/find-safe-boundary.ts'
import { forceCompression, withCompressionNote } from '../../../src/dialects/picoclaw/rules/force-compression.ts'
import { isOverBudget } from '../../../src/dialects/picoclaw/rules/is-over-budget.ts'
import { isSummaryDue } from '../../../src/dialects/picoclaw/rules/is-summary-due.ts'
import { planSummary } from '../../../src/dialects/picoclaw/rules/plan-summary.ts'
import { shorten } from '../../../src/dialects/picoclaw/rules/shorten.ts'
import { summaryInput } from '../../../src/dialects/picoclaw/rules/summary-lines.ts'
import { trimHistoryToFitContextWindow } from '../../../src/dialects/picoclaw/rules/trim-history.ts'

const roles: Readonly<Record<string, string>> = { u: 'user', a: 'assistant', t: 'tool', s: 'system' }
/** A message for each letter; its content is its place. */
const historyOf = (letters: string): Message[] =>
  [...letters].map((letter, i) => ({ role: roles[letter]!, content: `${i}` }))
const places = (history: readonly Message[]): string => history.map(({ content }) => content).join(' ')
/** Costs 10 tokens: 13 characters and 12 for the frame. */
const ten: Message = { role: 'user', content: 'x'.repeat(13) }

describe('the estimate of tools', () => {
  it('is two fifths of name, description, parameters and 20, for each', () => {
    expect(estimatePicoClawToolTokens([])).toBe(0)
    expect(estimatePicoClawToolTokens([{ name: 'ab' }])).toBe(8)
    expect(estimatePicoClawToolTokens([{ name: 'ab', description: 'cd', parameters: { type: 'object' } }])).toBe(16)
    expect(estimatePicoClawToolTokens([{ name: 'ab' }, { name: 'ab' }])).toBe(16)
  })
  it('counts bytes, and JSON as Go writes it', () => {
    expect(estimatePicoClawToolTokens([{ name: '工具' }])).toBe(10)
    expect(estimatePicoClawToolTokens([{ name: '', parameters: { a: '<' } }])).toBe(Math.floor(((20 + 13) * 2) / 5))
  })
})

describe('a request', () => {
  it('is over budget when messages, tools and reply are more than the window, and not when they fill it', () => {
    const tools = [{ name: 'ab' }]
    expect(isOverBudget([ten, ten], { contextWindow: 128, maxTokens: 100, tools })).toBe(false)
    expect(isOverBudget([ten, ten], { contextWindow: 127, maxTokens: 100, tools })).toBe(true)
  })
  it('is counted as the caller counts', () => {
    expect(isOverBudget([ten], { contextWindow: 100, maxTokens: 0, countTokens: () => 101 })).toBe(true)
  })
})

describe('a summary is due', () => {
  it('above 20 messages', () => {
    expect(isSummaryDue(historyOf('u'.repeat(20)))).toBe(false)
    expect(isSummaryDue(historyOf('u'.repeat(21)))).toBe(true)
  })
  it('above three quarters of the window, which is four replies by default', () => {
    expect(defaultBudget.contextWindow).toBe(4 * defaultBudget.maxTokens)
    expect(isSummaryDue([ten, ten, ten], { contextWindow: 40 })).toBe(false)
    expect(isSummaryDue([ten, ten, ten], { contextWindow: 39 })).toBe(true)
    expect(isSummaryDue([ten], { countTokens: () => 98_304 })).toBe(false)
    expect(isSummaryDue([ten], { countTokens: () => 98_305 })).toBe(true)
  })
})

describe('a history that is trimmed', () => {
  const budgetOf = (messages: number) => ({ contextWindow: messages, maxTokens: 0, countTokens: () => 1 })
  const trim = (letters: string, room: number) => {
    const { history, fits } = trimHistoryToFitContextWindow(historyOf(letters), budgetOf(room))
    return `${places(history)}${fits ? '' : ' !'}`
  }

  it('stays whole when it fits', () => expect(trim('uaua', 4)).toBe('0 1 2 3'))
  it('loses its oldest whole turns', () => {
    expect(trim('uauatau', 6)).toBe('2 3 4 5 6')
    expect(trim('uauatau', 4)).toBe('6')
  })
  it('loses what stands before its first turn first', () => expect(trim('taua', 3)).toBe('2 3'))
  it('is empty when its last turn does not fit', () => {
    expect(trim('uata', 3)).toBe('')
    expect(trim('ttt', 2)).toBe('')
  })
  it('gives the request with it, and says when that does not fit without any', () => {
    const system: Message = { role: 'system', content: 's' }
    const { messages, fits } = trimHistoryToFitContextWindow(historyOf('uaua'), budgetOf(3), (history) => [
      system,
      ...history,
    ])
    expect([places(messages), fits]).toEqual(['s 2 3', true])
    expect(trimHistoryToFitContextWindow(historyOf('u'), budgetOf(0), (history) => [system, ...history])).toMatchObject(
      { history: [], messages: [system], fits: false },
    )
  })
  it('is the longest that fits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('u', 'a', 't'), { maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        (letters, room) => {
          const history = historyOf(letters.join(''))
          const starts = [0, ...letters.flatMap((letter, i) => (letter === 'u' ? [i] : [])), history.length]
          const start = starts.find((one) => history.length - one <= room)!
          expect(trimHistoryToFitContextWindow(history, budgetOf(room)).history).toEqual(history.slice(start))
        },
      ),
    )
  })
})

describe('an emergency', () => {
  const force = (letters: string) => {
    const done = forceCompression(historyOf(letters))
    return done && `${places(done.kept)} | ${done.start} -${done.dropped}`
  }

  it('leaves two messages as they are', () => expect(force('ua')).toBeUndefined())
  it('drops the older half of the turns, the smaller one when they are odd', () => {
    expect(force('uaua')).toBe('2 3 | 2 -2')
    expect(force('uauaua')).toBe('2 3 4 5 | 2 -2')
    expect(force('uatauuau')).toBe('5 6 7 | 5 -5')
  })
  it('cuts in front of a single turn in the first half', () => expect(force('atuata')).toBe('2 3 4 5 | 2 -2'))
  it('cuts in front of a single turn in the second half', () => expect(force('aaau')).toBe('3 | 3 -3'))
  it('keeps the user’s message of a single turn', () => expect(force('uatat')).toBe('0 | 5 -4'))
  it('halves a history without turns', () => expect(force('atat')).toBe('2 3 | 2 -2'))
  it('says in the summary, after a blank line, how many were dropped', () => {
    const note = '[Emergency compression dropped 12 oldest messages due to context limit]'
    expect(withCompressionNote('', 12)).toBe(note)
    expect(withCompressionNote('Before.', 12)).toBe(`Before.\n\n${note}`)
  })
  it('always drops something of more than two messages, and keeps their end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('u', 'a', 't'), { minLength: 3, maxLength: 20 }), (letters) => {
        const history = historyOf(letters.join(''))
        const { kept, start, dropped } = forceCompression(history)!
        expect(dropped).toBeGreaterThan(0)
        expect(kept.length).toBe(history.length - dropped)
        if (start < history.length) expect(kept).toEqual(history.slice(start))
      }),
    )
  })
})

describe('turns', () => {
  it('do not begin with an answer to a call, though its role is the user’s', () => {
    const history: Message[] = [
      { role: 'user', content: '0' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'A', name: 'f' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'A', content: 'r' }] },
      { role: 'user', content: '3' },
    ]
    expect(findSafeBoundary(history, 2)).toBe(3)
  })
})

describe('the plan of a summary', () => {
  const plan = (letters: string) => planSummary(historyOf(letters), 1000)

  it('keeps at least the last four messages, from the beginning of a turn', () => {
    expect(plan('uauauaua')).toMatchObject({ cut: 4 })
    expect(plan('uauauataua')).toMatchObject({ cut: 4 })
  })
  it('is none for four messages, or a single turn', () => {
    expect(plan('uaua')).toBeUndefined()
    expect(plan('uataaataa')).toBeUndefined()
  })
  it('has one part of up to ten messages, and two that begin with a user message of more', () => {
    expect(plan('ua'.repeat(7))!.parts.map(places)).toEqual(['0 1 2 3 4 5 6 7 8 9'])
    expect(plan('ua'.repeat(8))!.parts.map(places)).toEqual(['0 1 2 3 4 5', '6 7 8 9 10 11'])
    expect(plan(`${'ua'.repeat(6)}uuaa`)!.parts.map(places)).toEqual(['0 1 2 3 4 5', '6 7 8 9 10 11'])
  })
  it('tears no call from its results in a history without turns', () => {
    const history: Message[] = [
      ...historyOf('aa'),
      { role: 'assistant', content: '', tool_calls: [{ id: 'A' }] },
      ...historyOf('ttttt').map((result) => ({ ...result, tool_call_id: 'A' })),
    ]
    expect(planSummary(history, 1000)!.cut).toBe(2)
  })
  it('is none when all that is old is too large', () => {
    const large: Message = { role: 'user', content: 'x'.repeat(1002) }
    expect(planSummary([large, ...historyOf('uaua')], 1000)).toBeUndefined()
  })
})

describe('what is told of a history', () => {
  const told = (history: readonly Message[], contextWindow = 1000) => summaryInput(history, contextWindow)

  it('are its user and assistant messages', () => expect(places(told(historyOf('sua')).messages)).toBe('1 2'))
  it('are none that take more than half the window at two bytes a token', () => {
    const fits: Message = { role: 'user', content: '你'.repeat(333) }
    const large: Message = { role: 'user', content: '你'.repeat(334) }
    expect(told([fits, ...historyOf('u')])).toMatchObject({ messages: [fits, { content: '0' }], isPartial: false })
    expect(told([large, ...historyOf('u')])).toEqual({ messages: historyOf('u'), isPartial: true })
  })

  const cases: readonly (readonly [string, readonly Message[]])[] = [
    [
      'PicoClaw',
      [
        {
          role: 'assistant',
          content: 'Look.',
          tool_calls: [{ id: 'A', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
        { role: 'tool', content: 'found', tool_call_id: 'A' },
      ],
    ],
    [
      'Anthropic',
      [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'tool_use', id: 'A', name: 'read', input: { path: 'a' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'A', content: [{ type: 'text', text: 'found' }] }],
        },
      ],
    ],
    [
      'pi',
      [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'toolCall', id: 'A', name: 'read', arguments: { path: 'a' } },
          ],
        },
        { role: 'toolResult', toolCallId: 'A', content: [{ type: 'text', text: 'found' }] },
      ],
    ],
    [
      'the AI SDK',
      [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'tool-call', toolCallId: 'A', toolName: 'read', input: { path: 'a' } },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'A', toolName: 'read', output: 'found' }] },
      ],
    ],
  ]
  it.each(cases)('has tools and their results in the words of the assistant, as %s tells them', (_, block) => {
    expect(told(block).messages).toEqual([{ role: 'assistant', content: 'Look.\n[read({"path":"a"}): found]' }])
  })
  it('has long results in short form', () => {
    const block: Message[] = [
      { role: 'assistant', content: '', tool_calls: [{ id: 'A', function: { name: 'read', arguments: '' } }] },
      { role: 'tool', content: '你'.repeat(501), tool_call_id: 'A' },
    ]
    expect(told(block, 100).messages).toEqual([{ role: 'assistant', content: `[read(): ${'你'.repeat(500)}...]` }])
  })
})

describe('the summary without a model', () => {
  it('tells the beginning of each message', () => {
    expect(
      fallbackSummary([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ]),
    ).toBe('Conversation summary: user: Hi | assistant: Hello')
  })
  it('cuts a message to 200 code points, or a tenth when that is more', () => {
    expect(fallbackSummary([{ role: 'user', content: '😀'.repeat(200) }])).toBe(
      `Conversation summary: user: ${'😀'.repeat(200)}`,
    )
    expect(fallbackSummary([{ role: 'user', content: '😀'.repeat(201) }])).toBe(
      `Conversation summary: user: ${'😀'.repeat(200)}...`,
    )
    expect(fallbackSummary([{ role: 'user', content: 'x'.repeat(2019) }])).toBe(
      `Conversation summary: user: ${'x'.repeat(201)}...`,
    )
  })
  it('carries on what was summarised before', () =>
    expect(fallbackSummary([{ role: 'user', content: 'Hi' }], 'Earlier.')).toBe(
      'Earlier.\n\nConversation summary: user: Hi',
    ))
  it('does not grow without end', () =>
    expect(fallbackSummary([{ role: 'user', content: 'Hi' }], 'Earlier.', 8)).toBe('...user: Hi'))
  it('has nothing but the mark of what was cut where there is no room', () =>
    expect(fallbackSummary([{ role: 'user', content: 'Hi' }], '', 0)).toBe('...'))
  it('never begins with half a character', () => {
    const [whole, half] = [4, 3].map((length) => fallbackSummary([{ role: 'user', content: 'a😀bc' }], '', length))
    expect([whole, half]).toEqual(['...😀bc', '...bc'])
  })
})

it('never cuts a character in half', () => {
  expect([shorten('a😀b', 2), shorten('a😀b', 3), shorten('😀', 1), shorten('ab', 1)]).toEqual([
    'a😀...',
    'a😀b',
    '😀',
    'a...',
  ])
})
