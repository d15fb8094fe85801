import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { AttachOptions, ChatRequest } from '../../src/dialects/agently/attach/attach-types.ts'
import { toolCallsIn } from '../../src/dialects/agently/attach/tool-calls-in.ts'
import { attachSession } from '../../src/dialects/agently/attach-session.ts'
import { assistant, refuses, user } from '../../src/testing/helpers.ts'
import { memoryStore } from './support/memory-store.ts'

const call = (id: string) => ({ id, type: 'function', function: { name: `tool-${id}`, arguments: '{}' } })
const calling = (...ids: string[]): Message => ({ role: 'assistant', content: '', tool_calls: ids.map(call) })
const result = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` })
const kept = async (store: SessionStore): Promise<readonly Message[]> =>
  (await store.read('s')).entries.flatMap(({ message }) => message ?? [])
const ask = { messages: [user('weather?')] }

async function* pieces(...all: unknown[]): AsyncGenerator<unknown> {
  yield* all
}
async function readOn(stream: unknown): Promise<void> {
  for await (const _ of stream as AsyncIterable<unknown>);
}

/** A chat that gives one reply after the other. */
function open(replies: readonly unknown[], options?: AttachOptions) {
  const store = memoryStore()
  const asked: (readonly Message[])[] = []
  const attached = attachSession(
    ({ messages }: ChatRequest) => (asked.push(messages), replies[asked.length - 1]),
    { store, key: 's' },
    options,
  )
  return { store, asked, attached }
}

describe('a streamed reply that calls tools', () => {
  it('is kept with its calls, so that the result goes out behind them', async () => {
    const { attached, asked, store } = open([
      pieces({ delta: 'Let me ' }, { delta: 'look.' }, { tool_calls: [call('c1')] }),
      'Sunny.',
    ])
    await readOn(await attached(ask))
    await attached({ messages: [result('c1')] })
    expect(asked[1]).toEqual([user('weather?'), { ...calling('c1'), content: 'Let me look.' }, result('c1')])
    expect(await kept(store)).toEqual([...asked[1]!, assistant('Sunny.')])
  })

  it('is made into a message by the app’s own function', async () => {
    const { attached, store } = open([pieces('a', { mine: 'c1' })], {
      messageOf: (all) => ({ ...calling((all[1] as { mine: string }).mine), content: String(all[0]) }),
    })
    await readOn(await attached(ask))
    expect((await kept(store))[1]).toEqual({ ...calling('c1'), content: 'a' })
  })

  it('keeps its text where that function fails', async () => {
    const { attached, store } = open([pieces('a')], {
      messageOf: () => {
        throw new Error('bad')
      },
    })
    await readOn(await attached(ask))
    await expect(attached.settled()).rejects.toThrow('bad')
    expect((await kept(store))[1]).toMatchObject({ content: 'a' })
  })

  it('that ends early is kept without the calls, which may be half of what was meant', async () => {
    const { attached, store } = open([pieces('a', { tool_calls: [call('c1')] }, 'b')])
    for await (const piece of (await attached(ask)) as AsyncIterable<unknown>) if (typeof piece === 'object') break
    expect((await kept(store))[1]).toEqual({ ...assistant('a'), interrupted: true })
  })

  it('is handed to the record handler piece by piece', async () => {
    const seen: unknown[] = []
    const all = ['a', { tool_calls: [call('c1')] }]
    const { attached } = open([pieces(...all)], {
      recordHandler: ({ reply, pieces: got }) => void seen.push([reply, got]),
    })
    await readOn(await attached(ask))
    expect(seen).toEqual([['a', all]])
  })
})

describe('the calls in a stream', () => {
  const delta = (...fragments: unknown[]) => ({ choices: [{ delta: { tool_calls: fragments } }] })
  it.each<[string, readonly unknown[], unknown]>([
    [
      'fragments, by index',
      [
        delta({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
        delta({ index: 1, id: 'b', function: { name: 'g', arguments: '{' } }),
        delta({ index: 0, function: { arguments: '{"x"' } }, { index: 1, function: { arguments: '}' } }),
        delta({ index: 0, function: { arguments: ':1}' } }),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{}'],
      ],
    ],
    [
      'fragments of an unwrapped delta',
      [
        { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] } },
        { delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } },
      ],
      [['a', 'f', '{}']],
    ],
    [
      'whole calls under one index',
      [
        delta({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
        delta({ index: 0, id: 'b', function: { name: 'g', arguments: '{}' } }),
      ],
      [
        ['a', 'f', '{}'],
        ['b', 'g', '{}'],
      ],
    ],
    [
      'whole calls, once where a message at the end repeats them',
      [
        delta({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
        { message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] } },
      ],
      [['a', 'f', '{}']],
    ],
    [
      'AI SDK’s pieces',
      [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: { x: 1 } }],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'pieces of a chat handler’s model',
      [{ type: 'toolCall', toolCall: { id: 'a', name: 'f', arguments: '{}' } }],
      [['a', 'f', '{}']],
    ],
    [
      'no calls',
      [
        'x',
        null,
        5,
        [],
        {},
        { tool_calls: 'x' },
        { tool_calls: [null, 5] },
        { choices: [] },
        { choices: [null] },
        { delta: null },
      ],
      [],
    ],
  ])('are found in %s', (_, all, found) => {
    expect(
      toolCallsIn(all).map(({ id, function: made }) => [
        id,
        (made as { name: string }).name,
        (made as { arguments: string }).arguments,
      ]),
    ).toEqual(found)
  })
})

describe('results of tools', () => {
  it('that come in two requests go out together, once the last is there', async () => {
    const { attached, asked, store } = open([calling('c1', 'c2'), 'ok'])
    await attached(ask)
    await expect(attached({ messages: [result('c1')] })).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('c2'),
    })
    expect(asked).toHaveLength(1)
    expect(await attached({ messages: [result('c2')] })).toBe('ok')
    expect(asked[1]).toEqual([user('weather?'), calling('c1', 'c2'), result('c1'), result('c2')])
    expect(await kept(store)).toEqual([...asked[1]!, assistant('ok')])
  })

  it('that nobody asked for are refused, and not kept', async () => {
    const { attached, asked, store } = open(['hi', 'again'])
    await attached(ask)
    await refuses(attached({ messages: [result('none')] }), 'InvalidInput')
    await refuses(attached({ messages: [result('none'), user('well?')] }), 'InvalidInput')
    expect([asked.length, await kept(store)]).toEqual([1, [user('weather?'), assistant('hi')]])
  })

  it('may be sent again after the model failed, and are kept once', async () => {
    const { attached, asked, store } = open([calling('c1'), Promise.reject(new Error('down')), 'ok'])
    await attached(ask)
    await expect(attached({ messages: [result('c1')] })).rejects.toThrow('down')
    await attached({ messages: [result('c1')] })
    expect(asked[2]).toEqual(asked[1])
    expect(await kept(store)).toEqual([user('weather?'), calling('c1'), result('c1'), assistant('ok')])
  })

  it('give up the other calls where the user says something else', async () => {
    const { attached, asked } = open([calling('c1', 'c2'), 'ok'])
    await attached(ask)
    await attached({ messages: [result('c1'), user('never mind')] })
    expect(asked[1]).toEqual([user('weather?'), user('never mind')])
  })

  it('go out behind their calls where something else than the request is kept', async () => {
    const { attached, asked } = open([calling('c1'), 'ok'], {
      recordHandler: ({ request, reply }) => [
        ...request.messages,
        ...(typeof reply === 'string' ? [assistant(reply)] : [reply as Message]),
      ],
    })
    await attached(ask)
    await attached({ messages: [result('c1')] })
    expect(asked[1]).toEqual([user('weather?'), calling('c1'), result('c1')])
  })

  it('answer a call that a compaction put in front of the messages', async () => {
    const { attached, asked, store } = open(['ok'])
    await store.append('s', [{ type: 'message', message: user('old') }])
    await store.setCompaction('s', { summary: '', keepLast: 0, messages: [user('weather?'), calling('c1')] })
    await attached({ messages: [result('c1')] })
    expect(asked[0]).toEqual([user('weather?'), calling('c1'), result('c1')])
  })
})
