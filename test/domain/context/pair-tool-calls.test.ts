import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/contract/message.ts'
import { pairToolCalls } from '../../../src/domain/context/pair-tool-calls.ts'
import { anyHistory, dialects, isPartOf, unpairedIn } from './support/histories.ts'

const user: Message = { role: 'user', content: 'Hello.' }
const answer: Message = { role: 'assistant', content: 'So it is.' }
const { openai, anthropic, pi, model, ui } = dialects as Record<keyof typeof dialects, (typeof dialects)[string]>

describe('calls in tool_calls', () => {
  it('are left out with their block when one has no result', () => {
    expect(pairToolCalls([user, openai!.call(['a', 'b'], 'Let me see.'), ...openai!.results(['a']), answer])).toEqual([
      user,
      answer,
    ])
  })
  it('are left out when one has no id', () => {
    expect(pairToolCalls([user, openai!.call(['a', ''], ''), ...openai!.results(['a']), answer])).toEqual([
      user,
      answer,
    ])
  })
  it('are left out when an id is named twice', () => {
    expect(pairToolCalls([user, openai!.call(['a', 'a'], ''), ...openai!.results(['a'])])).toEqual([user])
  })
  it('find no result behind another message', () => {
    expect(pairToolCalls([user, openai!.call(['a'], ''), answer, ...openai!.results(['a'])])).toEqual([user, answer])
  })
})

describe('calls in parts', () => {
  it.each([
    ['anthropic', anthropic!],
    ['pi', pi!],
    ['model', model!],
  ] as const)('of %s are taken out one by one, and what else the message says stays', (_, dialect) => {
    const paired = pairToolCalls([user, dialect.call(['a', 'b'], 'Let me see.'), ...dialect.results(['b'])])
    expect(paired).toEqual([user, dialect.call(['b'], 'Let me see.'), ...dialect.results(['b'])])
  })
  it('take the message with them when nothing else is left', () => {
    const thought: Message = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: ' ' },
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
      ],
    }
    expect(pairToolCalls([user, thought])).toEqual([user])
  })
  it('of a UI message are whole, or taken out', () => {
    expect(pairToolCalls([ui!.call(['a', 'b'], 'Sunny.')])).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'tool-weather', toolCallId: 'a', state: 'output-available', input: {} },
          { type: 'text', text: 'Sunny.' },
        ],
      },
    ])
    expect(
      pairToolCalls([
        {
          role: 'assistant',
          parts: [{ type: 'step-start' }, { type: 'tool-weather', toolCallId: 'b', state: 'input-available' }],
        },
        ...openai!.results(['b']),
      ]),
    ).toEqual([])
  })
  it('may have their result in a message of the same role, when a provider ran them', () => {
    const paused: Message[] = [
      user,
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 's' }] },
      {
        role: 'assistant',
        content: [
          { type: 'web_search_tool_result', tool_use_id: 's' },
          { type: 'text', text: 'Found.' },
        ],
      },
    ]
    expect(pairToolCalls(paused)).toBe(paused)
  })
  it('take the question whether they may be made with them', () => {
    const asked = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'May I?' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} },
        { type: 'tool-approval-request', approvalId: 'x', toolCallId: 'a' },
      ],
    } as const satisfies Message
    const allowed: Message = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'x', approved: true }],
    }
    expect(pairToolCalls([user, asked, allowed])).toEqual([user, { role: 'assistant', content: [asked.content[0]] }])
    const whole = [user, asked, allowed, ...model!.results(['a'])]
    expect(pairToolCalls(whole)).toBe(whole)
  })
})

describe('results', () => {
  it('without a call are left out', () => {
    expect(
      pairToolCalls([
        user,
        ...openai!.results(['a']),
        ...pi!.results(['a']),
        ...anthropic!.results(['a']),
        ...model!.results(['a']),
        { role: 'tool', content: 'ok' },
        answer,
      ]),
    ).toEqual([user, answer])
  })
  it('without a call are taken out of a message that says more', () => {
    expect(
      pairToolCalls([
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a' },
            { type: 'text', text: 'and this' },
          ],
        },
      ]),
    ).toEqual([{ role: 'user', content: [{ type: 'text', text: 'and this' }] }])
  })
  it('count once', () => {
    expect(pairToolCalls([user, openai!.call(['a'], ''), ...openai!.results(['a', 'a'])])).toEqual([
      user,
      openai!.call(['a'], ''),
      ...openai!.results(['a']),
    ])
  })
  it('may come in any order, in several messages, and in another dialect', () => {
    const history = [
      user,
      anthropic!.call(['a', 'b', 'c'], ''),
      ...anthropic!.results(['c']),
      ...openai!.results(['b']),
      ...pi!.results(['a']),
    ]
    expect(pairToolCalls(history)).toBe(history)
  })
  it('belong to the call in front of them when an id is used again', () => {
    const history = [
      user,
      openai!.call(['a'], ''),
      ...openai!.results(['a']),
      answer,
      user,
      openai!.call(['a'], ''),
      ...openai!.results(['a']),
    ]
    expect(pairToolCalls(history)).toBe(history)
    expect(pairToolCalls(history.slice(0, -1))).toEqual(history.slice(0, 5))
  })
  it('go with a call that goes for the sake of another', () => {
    const mixed: Message = {
      role: 'assistant',
      content: [{ type: 'tool_result', tool_use_id: 'a' }],
      tool_calls: [{ id: 'b' }],
    }
    expect(pairToolCalls([user, anthropic!.call(['a'], ''), mixed])).toEqual([user])
  })
})

it('keeps system messages and all that is right, as the same objects', () => {
  const history: Message[] = [
    { role: 'system', content: 'Be kind.' },
    user,
    openai!.call(['a'], ''),
    ...openai!.results(['a']),
    { role: 'system', content: '' },
    answer,
  ]
  expect(pairToolCalls(history)).toBe(history)
  const [first, second] = pairToolCalls([user, anthropic!.call(['a'], ''), answer])
  expect([first, second].map((message) => message === user || message === answer)).toEqual([true, true])
})

it('leaves nothing unpaired, invents nothing, keeps the order, and has nothing to do the second time', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const shown = history.filter((message) => !('toolCalls' in message))
      const paired = pairToolCalls(shown)
      expect(unpairedIn(paired)).toEqual([])
      expect(isPartOf(paired, shown)).toBe(true)
      expect(pairToolCalls(paired)).toBe(paired)
      if (unpairedIn(shown).length === 0) expect(paired).toBe(shown)
    }),
    { numRuns: 10_000 },
  )
})

it('never throws, whatever the shape', () => {
  const field = fc.constantFrom(
    'role',
    'content',
    'parts',
    'tool_calls',
    'tool_call_id',
    'toolCallId',
    'type',
    'id',
    'state',
    'tool_use_id',
    'approvalId',
  )
  const leaf = fc.oneof(
    fc.constantFrom('tool', 'toolResult', 'tool_use', 'tool-x', 'tool_result', 'tool-approval-request', 'output-error'),
    fc.jsonValue(),
  )
  const { odd } = fc.letrec<{ odd: unknown }>((tie) => ({
    odd: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.array(tie('odd'), { maxLength: 3 }),
      fc.dictionary(field, tie('odd'), { maxKeys: 4 }),
    ),
  }))
  const message = fc
    .dictionary(field, odd, { maxKeys: 5 })
    .map((fields) => ({ role: 'assistant', ...fields }) as Message)
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (history) => {
      const paired = pairToolCalls(history)
      expect(pairToolCalls(paired)).toBe(paired)
    }),
    { numRuns: 1000 },
  )
})
