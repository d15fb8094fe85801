import { describe, expect, it } from 'vitest'
import type { ContextOptions } from '../../../src/client/context/context-types.ts'
import { readContext } from '../../../src/client/context/read-context.ts'
import type { Message } from '../../../src/contract/message.ts'
import { dialects } from '../../domain/context/support/histories.ts'
import { createDevice, say, texts, turns, watchReads } from './support/stores.ts'

const one = (): number => 1
const contextOf = async (messages: readonly Message[], options?: ContextOptions) => {
  const { store } = createDevice()
  await say(store, messages)
  return readContext(store, 's', options)
}

describe('a context', () => {
  it('is the whole conversation when nothing was compacted', async () => {
    const history = turns(0, 3)
    expect(await contextOf(history)).toEqual({
      messages: history,
      system: '',
      summary: '',
      memo: {},
      turns: 3,
      leftOut: 0,
      fits: true,
      branch: '',
      tokens: { total: 6, summary: 0, memo: 0, messages: 6, tools: 0 },
    })
  })

  it('of an unknown or a deleted session is empty, and makes none', async () => {
    const { store } = createDevice()
    expect(await readContext(store, 's')).toMatchObject({ messages: [], system: '', tokens: { total: 0 }, fits: true })
    expect(await readContext(store, 's', { maxTokens: 5 })).toMatchObject({ messages: [], fits: true, leftOut: 0 })
    expect((await store.listSessions()).total).toBe(0)
    await say(store, turns(0, 2))
    await store.updateMeta('s', { memo: { a: 1 } })
    await store.delete('s')
    expect(await readContext(store, 's')).toMatchObject({ messages: [], system: '', memo: {} })
  })

  it('tells the summary and the memo in front of what a compaction keeps', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const front: Message = { role: 'user', content: 'In short.' }
    const { id } = await store.setCompaction('s', { summary: 'They met.', messages: [front], keepLast: 2 })
    await store.updateMeta('s', { memo: { name: 'Ann' } })
    const context = await readContext(store, 's')
    expect(texts(context.messages)).toEqual([context.system, 'In short.', 'q3', 'a3'])
    expect(context.messages[0]!.role).toBe('system')
    for (const told of ['They met.', '{"name":"Ann"}']) expect(context.system).toContain(told)
    expect(context).toMatchObject({ summary: 'They met.', memo: { name: 'Ann' }, compaction: id, turns: 2, leftOut: 0 })
    const { total, summary, memo, messages, tools } = context.tokens
    expect([total, messages, tools]).toEqual([summary + memo + messages + tools, 4, 0])
    expect(Math.min(summary, memo)).toBeGreaterThan(0)
    expect(await readContext(store, 's', { maxTokens: 10_000 })).toEqual(context)
  })

  it('leaves the system text to the caller', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    await store.setCompaction('s', { summary: 'They met.', keepLast: 2 })
    const [apart, inside] = [await readContext(store, 's', { system: 'apart' }), await readContext(store, 's')]
    expect(apart).toEqual({ ...inside, messages: inside.messages.slice(1) })
  })

  it('tells the memo as it is asked to', async () => {
    const { store } = createDevice()
    await store.updateMeta('s', { memo: { name: 'Ann' } })
    expect((await readContext(store, 's', { memo: false })).system).toBe('')
    expect((await readContext(store, 's', { memo: ({ name }) => `Her name is ${String(name)}.` })).system).toMatch(
      /\nHer name is Ann\.$/,
    )
    expect((await readContext(store, 's', { memo: () => ' ' })).system).toBe('')
    await expect(readContext(store, 's', { memo: (() => 5) as never })).rejects.toThrow(TypeError)
  })

  it('is of the line asked for', async () => {
    const { store } = createDevice()
    const entries = await say(store, turns(0, 2))
    const { id } = await store.openBranch('s', { after: entries[1]! })
    await say(store, [{ role: 'user', content: 'instead' }])
    for (const options of [{}, { maxTokens: 100 }]) {
      expect(await readContext(store, 's', options)).toMatchObject({
        branch: id,
        messages: [{ content: 'q0' }, { content: 'a0' }, { content: 'instead' }],
      })
      expect(texts((await readContext(store, 's', { ...options, branch: '' })).messages)).toEqual([
        'q0',
        'a0',
        'q1',
        'a1',
      ])
      await expect(readContext(store, 's', { ...options, branch: 'none' })).rejects.toMatchObject({
        name: 'InvalidInput',
      })
    }
  })

  it('leaves out a call that is still open', async () => {
    const open: Message = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
    }
    for (const options of [{}, { maxTokens: 100 }])
      expect(
        texts((await contextOf([...turns(0, 1), { role: 'user', content: 'now' }, open], options)).messages),
      ).toEqual(['q0', 'a0', 'now'])
  })

  it('has no empty reply, wherever it lies', async () => {
    const { store } = createDevice()
    const empty: Message = { role: 'assistant', content: '' }
    await say(store, [...turns(0, 1), { role: 'user', content: 'more' }, empty, ...turns(1, 2)])
    for (const options of [{}, { maxTokens: 100 }])
      expect(texts((await readContext(store, 's', options)).messages)).toEqual(['q0', 'a0', 'more', 'q1', 'a1'])
    await store.setCompaction('s', {
      summary: '',
      messages: [{ role: 'user', content: 'In short.' }, empty],
      keepLast: 2,
    })
    expect(texts((await readContext(store, 's')).messages)).toEqual(['In short.', 'q1', 'a1'])
  })

  it('has what pi’s entries say, and no records for display', async () => {
    const { store } = createDevice()
    await store.append('s', [
      { type: 'message', message: { role: 'user', content: 'q' } },
      { type: 'model_change', data: { provider: 'p', modelId: 'm' } },
      {
        type: 'message',
        message: { role: 'assistant', content: 'a', toolCalls: [{ id: 'x', name: 'f', input: {}, result: 1 }] },
      },
      { type: 'branch_summary', data: { fromId: 'r', summary: 'We tried.' } },
      { type: 'message', message: { role: 'bashExecution', command: 'secret', output: '', excludeFromContext: true } },
      { type: 'custom_message', data: { customType: 'x', content: 'By the way', display: true } },
    ])
    const { messages } = await readContext(store, 's')
    expect(messages).toEqual([
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: expect.stringContaining('We tried.') },
      { role: 'user', content: 'By the way' },
    ])
  })
})

describe('a context with a limit', () => {
  it('has the newest whole turns, and says how many messages it lacks', async () => {
    const context = await contextOf(turns(0, 500), { maxTokens: 7, countTokens: one })
    expect(texts(context.messages)).toEqual(['q497', 'a497', 'q498', 'a498', 'q499', 'a499'])
    expect(context).toMatchObject({ turns: 3, leftOut: 994, fits: true, tokens: { total: 6 } })
  })

  it('keeps the system messages the line begins with', async () => {
    const system: Message = { role: 'system', content: 'Be kind.' }
    const { store } = createDevice()
    await store.append('s', [
      { type: 'model_change', data: { modelId: 'm' } },
      { type: 'message', message: system },
      ...turns(0, 300).map((message) => ({ type: 'message' as const, message })),
    ])
    const context = await readContext(store, 's', { maxTokens: 3, countTokens: one })
    expect(texts(context.messages)).toEqual(['Be kind.', 'q299', 'a299'])
    expect(context.leftOut).toBe(598)
    expect(await readContext(store, 's', { maxTokens: 601, countTokens: one })).toEqual(
      await readContext(store, 's', { countTokens: one }),
    )
  })

  it('counts summary, memo and tools, and says when they leave too little', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    await store.setCompaction('s', { summary: 'They met.', keepLast: 6 })
    const tools = [{ name: 'f' }]
    expect(await readContext(store, 's', { maxTokens: 4, countTokens: one, tools })).toMatchObject({
      tokens: { total: 4, summary: 1, memo: 0, messages: 2, tools: 1 },
      leftOut: 4,
      fits: true,
    })
    expect(await readContext(store, 's', { maxTokens: 3, countTokens: one, tools })).toMatchObject({
      messages: [{ role: 'system' }, { content: 'q3' }],
      leftOut: 5,
      fits: false,
      tokens: { total: 3 },
    })
    expect(await readContext(store, 's', { maxTokens: 1, countTokens: one, tools })).toMatchObject({
      leftOut: 5,
      fits: false,
      tokens: { total: 3 },
    })
  })

  it('never lacks what the user asks, and has of a newest turn that is too long the end that fits', async () => {
    const { call, results } = dialects['openai']!
    const steps = ['a', 'b', 'c'].flatMap((id) => [call([id], id), ...results([id])])
    const history = [
      ...turns(0, 2),
      { role: 'user', content: 'now' },
      ...steps,
      { role: 'assistant', content: 'still at it' },
    ]
    const seen = async (maxTokens: number) => {
      const {
        messages,
        fits,
        leftOut,
        turns: count,
        tokens,
      } = await contextOf(history, { maxTokens, countTokens: one })
      expect([messages.length, messages[0], count, leftOut]).toEqual([
        tokens.total,
        { role: 'user', content: 'now' },
        1,
        12 - messages.length,
      ])
      expect(messages.slice(1)).toEqual(messages.length === 1 ? [] : history.slice(1 - messages.length))
      return [messages.length, fits]
    }
    expect(await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8].map(seen))).toEqual([
      [1, false],
      [1, false],
      [2, false],
      [2, false],
      [4, false],
      [4, false],
      [6, false],
      [6, false],
      [8, true],
    ])
  })

  it('finds what the user asks however far back it is', async () => {
    const { store } = createDevice()
    const answers = Array.from({ length: 400 }, (_, i): Message => ({ role: 'assistant', content: `a${i}` }))
    await say(store, [{ role: 'system', content: 'Be kind.' }, { role: 'user', content: 'q' }, ...answers])
    const context = await readContext(store, 's', { maxTokens: 4, countTokens: one })
    expect([texts(context.messages), context.fits, context.leftOut]).toEqual([
      ['Be kind.', 'q', 'a398', 'a399'],
      false,
      398,
    ])
  })

  it('drops what a compaction put in front before the turns it keeps', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    await store.setCompaction('s', {
      summary: '',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'In short.' },
        { role: 'assistant', content: 'Yes.' },
      ],
      keepLast: 4,
    })
    expect(texts((await readContext(store, 's', { maxTokens: 7, countTokens: one })).messages)).toEqual([
      'Be kind.',
      'In short.',
      'Yes.',
      'q2',
      'a2',
      'q3',
      'a3',
    ])
    const context = await readContext(store, 's', { maxTokens: 6, countTokens: one })
    expect([texts(context.messages), context.leftOut]).toEqual([['Be kind.', 'q2', 'a2', 'q3', 'a3'], 2])
  })

  it('reads no more than it gives and a page', async () => {
    const { store } = createDevice()
    for (let from = 0; from < 2000; from += 500) await say(store, turns(from, from + 500))
    for (const maxTokens of [0, 1, 100, 1000]) {
      let read = 0
      const { messages } = await readContext(
        watchReads(store, ({ entries }) => void (read += entries.length)),
        's',
        { maxTokens, countTokens: one },
      )
      expect(messages.length).toBe(Math.max(1, maxTokens - (maxTokens % 2)))
      expect(read).toBeLessThanOrEqual(maxTokens + 128 + 16)
    }
  })

  it('reads nothing of what a compaction hides', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 1000))
    await store.setCompaction('s', { summary: 'They met.', keepLast: 10 })
    let read = 0
    await readContext(
      watchReads(store, ({ entries }) => void (read += entries.length)),
      's',
    )
    expect(read).toBe(10)
  })
})

describe('a context that is compacted while it is read', () => {
  it.each([
    [0, {}],
    [2, { maxTokens: 5000, countTokens: one }],
  ])('rests on one compaction (after page %i, %j)', async (at, options) => {
    const { store } = createDevice()
    await say(store, turns(0, 400))
    const compacted = watchReads(
      store,
      async (_, __, n) => void (n === at && (await store.setCompaction('s', { summary: 'They met.', keepLast: 4 }))),
    )
    const context = await readContext(compacted, 's', options)
    expect([context.summary, texts(context.messages).slice(1)]).toEqual(['They met.', texts(turns(398, 400))])
  })

  it('is read at last, however often that happens', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 800))
    const restless = watchReads(store, async (_, __, n) => void (await store.setSummary('s', `${n}`)))
    for (const options of [{}, { maxTokens: 5000, countTokens: one }])
      expect((await readContext(restless, 's', options)).turns).toBe(800)
  })
})

describe('reading a context', () => {
  it('ends when its signal fires', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 400))
    const ending = new AbortController()
    const slow = watchReads(store, () => {
      ending.abort()
      return new Promise(() => undefined)
    })
    await expect(readContext(slow, 's', { signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
    await expect(readContext(store, 's', { signal: AbortSignal.abort(), maxTokens: 5 })).rejects.toMatchObject({
      name: 'Aborted',
    })
  })

  it.each([Number.NaN, -1, 1.5, '5', undefined, Promise.resolve(1)])(
    'refuses a counter that gives %s',
    async (tokens) => {
      for (const options of [{}, { maxTokens: 100 }])
        await expect(contextOf(turns(0, 1), { ...options, countTokens: () => tokens as number })).rejects.toThrow(
          TypeError,
        )
    },
  )

  it.each([Number.NaN, -1, '5'])('refuses a limit of %s', async (maxTokens) => {
    await expect(contextOf([], { maxTokens: maxTokens as number })).rejects.toMatchObject({ name: 'InvalidInput' })
  })
})
