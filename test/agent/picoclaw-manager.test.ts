import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Summarise, SummaryRequest } from '../../src/client/context/context-types.ts'
import type { EntryView } from '../../src/contract/entry.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { ContextManager, ContextManagerParts, ShrinkReason } from '../../src/dialects/picoclaw/context-manager.ts'
import {
  createPicoClawManager,
  type PicoClawManagerOptions,
} from '../../src/dialects/picoclaw/create-picoclaw-manager.ts'
import { outgoingHistory } from '../../src/dialects/picoclaw/outgoing-history.ts'
import { turnStarts } from '../../src/domain/context/turn-starts.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const key = 'k'
const roomy = { contextWindow: 131_072, maxTokens: 32_768 }

interface Setup extends Omit<Partial<ContextManagerParts>, 'store'>, PicoClawManagerOptions {
  readonly store?: SessionStore
}

function setUp({
  store = createSessionStore(createMemoryBackend()),
  timeoutMs,
  wait = async () => undefined,
  ...parts
}: Setup = {}) {
  const manager = createPicoClawManager(
    { store, ...parts },
    { wait, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  )
  return { store, manager }
}
const say = (store: SessionStore, messages: readonly Message[], of = key) =>
  store.append(
    of,
    messages.map((message) => ({ type: 'message', message })),
  )
/** So many messages, a user's and an assistant's in turn, numbered. */
const turns = (count: number, from = 0): Message[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `m${from + i}` }))
const shrink = (
  manager: ContextManager,
  reason: ShrinkReason,
  budget: Partial<typeof roomy> & { signal?: AbortSignal } = {},
) => manager.shrink({ key, reason, ...roomy, ...budget })
/** What a model gets: the summary, then the messages' contents. */
async function seen(manager: ContextManager): Promise<readonly unknown[]> {
  const { summary, system, messages } = await manager.assemble({ key, ...roomy })
  return [summary, ...messages.slice(system === '' ? 0 : 1).map(({ content }) => content)]
}
const texts = (messages: readonly Message[]) => messages.map(({ content }) => content)
const compactions = async (store: SessionStore) =>
  (await store.changes(key)).entries.filter(({ type }) => type === 'compaction')

describe('a context of PicoClaw’s manager', () => {
  it('is all of a session that fits', async () => {
    const { store, manager } = setUp()
    await say(store, turns(4))
    expect(await manager.assemble({ key, ...roomy })).toEqual({
      messages: turns(4),
      system: '',
      summary: '',
      memo: {},
      turns: 2,
      leftOut: 0,
      fits: true,
      branch: '',
      tokens: { total: 20, summary: 0, memo: 0, messages: 20, tools: 0 },
    })
  })

  it('is empty for a session that is not there', async () => {
    expect(await setUp().manager.assemble({ key, ...roomy })).toMatchObject({ messages: [], leftOut: 0, fits: true })
  })

  it('begins with the summary and the memo, and counts them', async () => {
    const { store, manager } = setUp()
    await say(store, turns(2))
    await store.setSummary(key, 'Before.')
    await store.updateMeta(key, { memo: { name: 'Ada' } })
    const { messages, system, summary, memo, tokens } = await manager.assemble({ key, ...roomy })
    expect(messages).toEqual([{ role: 'system', content: system }, ...turns(2)])
    expect([summary, memo]).toEqual(['Before.', { name: 'Ada' }])
    expect(system).toMatch(/Before\.[^]*Ada/)
    expect(tokens.summary + tokens.memo + tokens.messages).toBe(tokens.total)
    expect(Math.min(tokens.summary, tokens.memo)).toBeGreaterThan(0)
  })

  it('leaves out the oldest whole turns where there is no room, and says how many messages', async () => {
    const { store, manager } = setUp()
    await say(store, turns(6))
    const tools = [{ name: 'ab' }]
    const fitting = await manager.assemble({ key, contextWindow: 128, maxTokens: 100, tools })
    expect([texts(fitting.messages), fitting.leftOut, fitting.turns, fitting.tokens.total, fitting.fits]).toEqual([
      ['m2', 'm3', 'm4', 'm5'],
      2,
      2,
      28,
      true,
    ])
    const scarce = await manager.assemble({ key, contextWindow: 127, maxTokens: 100, tools })
    expect([texts(scarce.messages), scarce.leftOut]).toEqual([['m4', 'm5'], 4])
    expect(await manager.assemble({ key, contextWindow: 100, maxTokens: 100, tools })).toMatchObject({
      messages: [],
      leftOut: 6,
      fits: false,
    })
  })

  it('reads a long session from its end only, and still says how much it left out', async () => {
    const { store } = setUp()
    await say(store, turns(3000))
    let read = 0
    const counting: SessionStore = {
      ...store,
      read: async (...args) => {
        const page = await store.read(...args)
        read += page.entries.length
        return page
      },
    }
    const { messages, leftOut } = await setUp({ store: counting }).manager.assemble({
      key,
      contextWindow: 1000,
      maxTokens: 0,
    })
    expect([messages.length, messages.at(-1)]).toEqual([166, turns(3000).at(-1)])
    expect(leftOut).toBe(3000 - 166)
    expect(read).toBeLessThan(600)
  })

  it('reads on where much of the end goes out to nobody', async () => {
    const { store, manager } = setUp({ countTokens: () => 1 })
    await say(store, [
      ...turns(40),
      ...Array.from({ length: 300 }, (): Message => ({ role: 'tool', content: 'r', tool_call_id: 'A' })),
      ...turns(2, 40),
    ])
    const { messages, leftOut } = await manager.assemble({ key, contextWindow: 20, maxTokens: 0 })
    expect([texts(messages), leftOut]).toEqual([texts(turns(20, 22)), 22])
  })

  it('holds calls and results of other dialects', async () => {
    const { store, manager } = setUp()
    const history: Message[] = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'A', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'A', content: 'r' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'B', toolName: 'f', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'B', toolName: 'f', output: 'r' }] },
    ]
    await say(store, history)
    expect((await manager.assemble({ key, ...roomy })).messages).toEqual(history)
  })

  it('leaves thoughts that led to nothing out, whatever stored them', async () => {
    const { store, manager } = setUp()
    await say(store, [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '', reasoning_content: 'Hm.' },
    ])
    expect(await seen(manager)).toEqual(['', 'a'])
  })

  it('never holds a call without its results, a result without its call, or part of a turn: 10,000 histories', async () => {
    const ids = fc.array(fc.constantFrom('A', 'B', 'C', ''), { minLength: 1, maxLength: 3 })
    const call = ids.map(
      (list): Message => ({ role: 'assistant', content: '', tool_calls: list.map((id) => ({ id, type: 'function' })) }),
    )
    const result = fc
      .constantFrom('A', 'B', 'C', '')
      .map((id): Message => ({ role: 'tool', content: 'r', tool_call_id: id }))
    const use = ids.map(
      (list): Message => ({
        role: 'assistant',
        content: list.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
      }),
    )
    const answer = ids.map(
      (list): Message => ({
        role: 'user',
        content: list.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'r' })),
      }),
    )
    const sdkUse = ids.map(
      (list): Message => ({
        role: 'assistant',
        content: list.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'f' })),
      }),
    )
    const sdkAnswer = ids.map(
      (list): Message => ({
        role: 'tool',
        content: list.map((toolCallId) => ({ type: 'tool-result', toolCallId, output: 'r' })),
      }),
    )
    const other = fc
      .constantFrom('user', 'user', 'assistant', 'system')
      .map((role): Message => ({ role, content: 'x' }))
    const history = fc.array(
      fc.oneof({ weight: 3, arbitrary: call }, { weight: 5, arbitrary: result }, use, answer, sdkUse, sdkAnswer, {
        weight: 4,
        arbitrary: other,
      }),
      { maxLength: 14 },
    )
    const { store, manager } = setUp({ countTokens: () => 1 })
    let session = 0
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 0, max: 14 }), async (messages, room) => {
        const at = `s${session++}`
        if (messages.length > 0) await say(store, messages, at)
        const { messages: kept, leftOut, fits } = await manager.assemble({ key: at, contextWindow: room, maxTokens: 0 })
        const isWhole = [0, ...turnStarts(messages), messages.length].includes(leftOut)
        expect([fits, kept.length <= room, isPaired(kept), isWhole]).toEqual([true, true, true, true])
        expect(kept).toEqual(outgoingHistory(messages.slice(leftOut)))
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)
})

const partIds = ({ content }: Message, type: string, field: string): unknown[] =>
  Array.isArray(content)
    ? content.flatMap((part) => (typeof part === 'object' && part.type === type ? [part[field]] : []))
    : []
const callsIn = (message: Message) => [
  ...((message['tool_calls'] ?? []) as { id: string }[]).map(({ id }) => id),
  ...partIds(message, 'tool_use', 'id'),
  ...partIds(message, 'tool-call', 'toolCallId'),
]
const resultsIn = (message: Message) =>
  [
    message['tool_call_id'] ?? [],
    ...partIds(message, 'tool_result', 'tool_use_id'),
    ...partIds(message, 'tool-result', 'toolCallId'),
  ].flat()

/** Whether each block of calls is answered at once and fully, and nothing else is. */
function isPaired(messages: readonly Message[]): boolean {
  let open = new Set<unknown>()
  for (const message of messages) {
    const results = resultsIn(message)
    if (results.length === 0 && open.size > 0) return false
    if (!results.every((id) => open.delete(id))) return false
    const calls = callsIn(message)
    if (calls.length > 0) open = new Set(calls)
  }
  return open.size === 0
}

describe('a summary by PicoClaw’s manager', () => {
  /** A model that answers each request in turn, and what it was asked. */
  function createModel(...answers: readonly (string | Error | Promise<string>)[]): {
    readonly summarise: Summarise
    readonly asked: SummaryRequest[]
  } {
    const asked: SummaryRequest[] = []
    return {
      asked,
      summarise: (request) => {
        const answer = answers[asked.push(request) - 1] ?? answers.at(-1)!
        if (answer instanceof Error) throw answer
        return answer
      },
    }
  }

  it('is not made up to 20 messages and three quarters of the window', async () => {
    const { asked, summarise } = createModel('S')
    const { store, manager } = setUp({ summarise })
    await say(store, turns(20))
    expect(await shrink(manager, 'summarise')).toBe(false)
    expect(asked).toEqual([])
    expect(await compactions(store)).toEqual([])
  })

  it('takes the place of all but the last turns, for models only', async () => {
    const { asked, summarise } = createModel('First half.', 'Second half.', 'All of it.')
    const { store, manager } = setUp({ summarise })
    await say(store, turns(22))
    expect(await shrink(manager, 'summarise')).toBe(true)
    expect(await seen(manager)).toEqual(['All of it.', 'm18', 'm19', 'm20', 'm21'])
    expect(asked.map(({ messages }) => texts(messages))).toEqual([
      texts(turns(8)),
      texts(turns(10, 8)),
      ['First half.', 'Second half.'],
    ])
    expect((await store.read(key, { last: 50 })).entries).toHaveLength(22)
    expect(await store.getSummary(key)).toBe('All of it.')
    expect(await shrink(manager, 'summarise')).toBe(false)
  })

  it('is made of a few large messages in one call', async () => {
    const { asked, summarise } = createModel('S')
    const { store, manager } = setUp({ summarise })
    await say(
      store,
      turns(6).map((message) => ({ ...message, content: `${message.content} ${'x'.repeat(400)}` })),
    )
    expect(await shrink(manager, 'summarise', { contextWindow: 1000 })).toBe(true)
    expect(asked.map(({ messages }) => messages.length)).toEqual([2])
  })

  it('leaves a message alone that is appended while it is made', async () => {
    let answer: (text: string) => void = () => undefined
    const { summarise, asked } = createModel(
      'First half.',
      'Second half.',
      new Promise<string>((resolve) => (answer = resolve)),
    )
    const backend = createMemoryBackend()
    const { store, manager } = setUp({ store: createSessionStore(backend), summarise })
    await say(store, turns(22))
    const shrinking = shrink(manager, 'summarise')
    while (asked.length < 3) await new Promise((resolve) => setTimeout(resolve))
    await say(store, [{ role: 'user', content: 'here' }])
    await createSessionStore(backend).addMessage(key, 'user', 'there')
    answer('S')
    expect(await shrinking).toBe(true)
    expect(await seen(manager)).toEqual(['S', 'm18', 'm19', 'm20', 'm21', 'here', 'there'])
  })

  it('leaves a message alone that belongs among those it was made of, but came too late', async () => {
    const { store } = setUp()
    await say(store, turns(10))
    const elsewhere = createSessionStore(createMemoryBackend())
    await elsewhere.merge(key, (await store.changes(key)).entries)
    await elsewhere.addMessage(key, 'user', 'late')
    await say(store, turns(12, 10))
    const late = (await elsewhere.changes(key)).entries
    const { manager } = setUp({
      store,
      summarise: async () => {
        await store.merge(key, late)
        return 'S'
      },
    })
    expect(await shrink(manager, 'summarise')).toBe(true)
    expect(await seen(manager)).toEqual(['S', 'late', 'm18', 'm19', 'm20', 'm21'])
  })

  it.each([
    ['few', 12],
    ['many', 22],
  ])('carries on the one before, of %s messages', async (_, count) => {
    const { asked, summarise } = createModel('S')
    const { store, manager } = setUp({ summarise })
    await store.setSummary(key, 'Before.')
    await say(
      store,
      turns(count).map((message) => ({ ...message, content: 'x'.repeat(500) })),
    )
    expect(await shrink(manager, 'summarise', { contextWindow: 3000 })).toBe(true)
    expect(asked.map(({ previousSummary }) => previousSummary)).toEqual(
      count === 12 ? ['Before.'] : ['Before.', '', ''],
    )
  })

  it('is followed by another one, which carries it on', async () => {
    const { asked, summarise } = createModel('S')
    const { store, manager } = setUp({ summarise })
    await say(store, turns(22))
    await shrink(manager, 'summarise')
    await say(store, turns(18, 22))
    expect(await shrink(manager, 'summarise')).toBe(true)
    expect(asked[3]).toMatchObject({ previousSummary: 'S', messages: turns(8, 18) })
    expect(await seen(manager)).toEqual(['S', 'm36', 'm37', 'm38', 'm39'])
  })

  it('tells what tools found', async () => {
    const { asked, summarise } = createModel('S')
    const { store, manager } = setUp({ summarise })
    const block: Message[] = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'A', function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', content: 'found it', tool_call_id: 'A' },
    ]
    await say(store, [...block, ...turns(20)])
    await shrink(manager, 'summarise')
    expect(asked[0]!.messages[1]).toEqual({ role: 'assistant', content: '[read({}): found it]' })
  })

  it('says that messages were too large for it', async () => {
    const { store, manager } = setUp({ summarise: () => 'S' })
    await say(store, [{ role: 'user', content: 'x'.repeat(1200) }, ...turns(9)])
    expect(await shrink(manager, 'summarise', { contextWindow: 500 })).toBe(true)
    expect(await store.getSummary(key)).toBe(
      'S\n[Note: Some oversized messages were omitted from this summary for efficiency.]',
    )
  })

  it('is made of beginnings where there is no model, and carries on the one before', async () => {
    const { store, manager } = setUp()
    await say(store, turns(22))
    await store.setSummary(key, 'Before.')
    expect(await shrink(manager, 'summarise')).toBe(true)
    const told = turns(18)
      .map(({ role, content }) => `${role}: ${content as string}`)
      .join(' | ')
    expect((await seen(manager))[0]).toBe(`Before.\n\nConversation summary: ${told}`)
  })

  it('has at most a quarter of the window where there is no model', async () => {
    const { store, manager } = setUp()
    await store.setSummary(key, 'x'.repeat(10_000))
    await say(store, turns(22))
    await shrink(manager, 'summarise', { contextWindow: 1600 })
    const summary = await store.getSummary(key)
    expect([summary.length, summary.slice(-3)]).toEqual([1003, 'm17'])
  })

  it('is tried three times, with pauses', async () => {
    const waits: number[] = []
    const { asked, summarise } = createModel(new Error('busy'), ' ', 'First half.', 'Second half.', 'S')
    const { store, manager } = setUp({ summarise, wait: async (ms) => void waits.push(ms) })
    await say(store, turns(22))
    expect(await shrink(manager, 'summarise')).toBe(true)
    expect([asked.length, waits]).toEqual([5, [100, 200]])
    expect((await seen(manager))[0]).toBe('S')
  })

  it('is made of beginnings where the model fails in the end, and the entry says so', async () => {
    const { asked, summarise } = createModel(new Error('out of order'))
    const { store, manager } = setUp({ summarise })
    await say(store, turns(22))
    await store.setSummary(key, 'Before.')
    expect(await shrink(manager, 'summarise')).toBe(true)
    expect(asked).toHaveLength(9)
    expect((await seen(manager))[0]).toMatch(
      /^Before\.\n\nConversation summary: user: m0 \| .* m7 Conversation summary: user: m8 /,
    )
    expect((await compactions(store))[0]!.data).toMatchObject({ details: { manager: 'picoclaw', modelFailed: true } })
  })

  it('is both halves where they can not be merged', async () => {
    const { summarise } = createModel('One.', 'Two.', new Error('out of order'))
    const { store, manager } = setUp({ summarise })
    await say(store, turns(22))
    await shrink(manager, 'summarise')
    expect((await seen(manager))[0]).toBe('One. Two.')
  })

  it('changes nothing when its signal ends it', async () => {
    const ending = new AbortController()
    const waits: number[] = []
    const { store, manager } = setUp({
      wait: async (ms) => void waits.push(ms),
      summarise: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          ending.abort()
        }),
    })
    await say(store, turns(22))
    await expect(shrink(manager, 'summarise', { signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
    await expect(shrink(manager, 'summarise', { signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
    expect(await compactions(store)).toEqual([])
    expect(await seen(manager)).toHaveLength(23)
    expect(waits).toEqual([])
  })

  it('is made of beginnings when the model takes too long', async () => {
    const { store, manager } = setUp({ summarise: () => new Promise<string>(() => undefined), timeoutMs: 20 })
    await say(store, turns(22))
    expect(await shrink(manager, 'summarise')).toBe(true)
    expect((await seen(manager))[0]).toMatch(/^Conversation summary: user: m0/)
  })

  it('may take as long as it likes when that is longer than a timer can wait', async () => {
    for (const timeoutMs of [Infinity, 2 ** 31]) {
      const { store, manager } = setUp({
        summarise: () => new Promise((resolve) => setTimeout(resolve, 20, 'S')),
        timeoutMs,
      })
      await say(store, turns(22))
      await shrink(manager, 'summarise')
      expect((await seen(manager))[0]).toBe('S')
    }
  })

  it('has a limit that is a number above 0', () => {
    for (const timeoutMs of [NaN, 0, -1, '5' as never])
      expect(() => setUp({ timeoutMs })).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
  })

  it('of a conversation that was cleared meanwhile is forgotten', async () => {
    for (const clear of [
      (manager: ContextManager) => manager.clear(key),
      async (_: ContextManager, store: SessionStore) => {
        await store.setHistory(key, [])
        await store.setSummary(key, '')
      },
    ]) {
      let clearing: Promise<void> | undefined
      const store = createSessionStore(createMemoryBackend())
      const { manager } = setUp({
        store,
        summarise: async () => {
          await (clearing ??= clear(manager, store))
          return 'secret'
        },
      })
      await say(store, turns(22))
      expect(await shrink(manager, 'summarise')).toBe(false)
      await clearing
      expect(await seen(manager)).toEqual([''])
    }
  })

  it('is made once when two ask for it at once', async () => {
    const { asked, summarise } = createModel('First half.', 'Second half.', 'S')
    const { store, manager } = setUp({ summarise })
    const { manager: other } = setUp({ store, summarise })
    await say(store, turns(22))
    expect(
      await Promise.all([shrink(manager, 'summarise'), shrink(manager, 'summarise'), shrink(other, 'summarise')]),
    ).toEqual([true, false, false])
    expect([asked.length, (await compactions(store)).length]).toEqual([3, 1])
  })

  it('is in effect once when two tabs without locks make it', async () => {
    const backend = createMemoryBackend()
    const tabs = ['A', 'B'].map((text) => setUp({ store: createSessionStore(backend), summarise: () => text }))
    await say(tabs[0]!.store, turns(22))
    const done = await Promise.all(tabs.map(({ manager }) => shrink(manager, 'summarise')))
    expect([...done].sort()).toEqual([false, true])
    expect(await compactions(tabs[0]!.store)).toHaveLength(1)
    for (const { manager } of tabs)
      expect(await seen(manager)).toEqual([done[0] ? 'A' : 'B', 'm18', 'm19', 'm20', 'm21'])
  })
})

describe('an emergency', () => {
  const note = (dropped: number) => `[Emergency compression dropped ${dropped} oldest messages due to context limit]`

  it('drops the older half of the turns, twice when asked twice, and says so', async () => {
    const { store, manager } = setUp()
    await say(store, turns(8))
    await store.setSummary(key, 'Before.')
    expect(await shrink(manager, 'model-refused')).toBe(true)
    expect(await seen(manager)).toEqual([`Before.\n\n${note(4)}`, 'm4', 'm5', 'm6', 'm7'])
    expect(await shrink(manager, 'model-refused')).toBe(true)
    expect(await seen(manager)).toEqual([`Before.\n\n${note(4)}\n\n${note(2)}`, 'm6', 'm7'])
    expect(await shrink(manager, 'model-refused')).toBe(false)
    expect((await store.read(key, { last: 50 })).entries).toHaveLength(8)
  })

  it('keeps the user’s message of a single turn, and what follows', async () => {
    const { store, manager } = setUp()
    const block: Message[] = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'A' }] },
      { role: 'tool', content: 'r', tool_call_id: 'A' },
    ]
    await say(store, block)
    expect(await shrink(manager, 'model-refused')).toBe(true)
    expect(await seen(manager)).toEqual([note(2), 'q'])
    await say(store, [{ role: 'assistant', content: 'a' }, ...turns(2)])
    expect(await seen(manager)).toEqual([note(2), 'q', 'a', 'm0', 'm1'])
    expect(await shrink(manager, 'model-refused')).toBe(true)
    expect(await seen(manager)).toEqual([`${note(2)}\n\n${note(2)}`, 'm0', 'm1'])
  })

  it('keeps what an earlier compaction put in front, as far as it is young enough', async () => {
    const { store, manager } = setUp()
    await say(store, [{ role: 'user', content: 'old' }])
    await store.setCompaction(key, { summary: '', keepLast: 0, messages: turns(6) })
    await say(store, turns(2, 6))
    expect(await shrink(manager, 'model-refused')).toBe(true)
    expect(await seen(manager)).toEqual([note(4), 'm4', 'm5', 'm6', 'm7'])
  })

  it('counts the memo, which goes out too', async () => {
    const { store, manager } = setUp()
    await say(store, turns(6))
    await store.updateMeta(key, { memo: { name: 'Ada' } })
    const { tokens } = await manager.assemble({ key, ...roomy })
    expect(await shrink(manager, 'proactive-budget', { contextWindow: tokens.total, maxTokens: 0 })).toBe(false)
    expect(await shrink(manager, 'proactive-budget', { contextWindow: tokens.total - 1, maxTokens: 0 })).toBe(true)
  })

  it('comes before a request only when that would not fit', async () => {
    const { store, manager } = setUp()
    await say(store, turns(6))
    expect(await shrink(manager, 'proactive-budget', { contextWindow: 130, maxTokens: 100 })).toBe(false)
    expect(await shrink(manager, 'proactive-budget', { contextWindow: 129, maxTokens: 100 })).toBe(true)
    expect((await seen(manager)).slice(1)).toEqual(['m2', 'm3', 'm4', 'm5'])
  })

  it('while a summary is made wins over it', async () => {
    const { store, manager } = setUp({
      summarise: async () => {
        await shrink(manager, 'model-refused')
        return 'S'
      },
    })
    await say(store, turns(22))
    expect(await shrink(manager, 'summarise')).toBe(false)
    expect((await seen(manager))[0]).toMatch(/^\[Emergency/)
  })

  it('of two tabs at once makes the context smaller for both', async () => {
    const backend = createMemoryBackend()
    const tabs = [0, 1].map(() => setUp({ store: createSessionStore(backend) }))
    await say(tabs[0]!.store, turns(8))
    expect(await Promise.all(tabs.map(({ manager }) => shrink(manager, 'model-refused')))).toEqual([true, true])
    expect(await compactions(tabs[0]!.store)).toHaveLength(1)
  })

  it('leaves a session that is not there alone', async () => {
    const { store, manager } = setUp()
    expect(await shrink(manager, 'model-refused')).toBe(false)
    expect(await store.getMeta(key)).toBeUndefined()
  })
})

describe('a conversation that PicoClaw’s manager clears', () => {
  it('has no history and no summary, whatever compactions kept', async () => {
    const { store, manager } = setUp()
    await say(store, [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b' },
    ])
    await shrink(manager, 'model-refused')
    await manager.clear(key)
    expect(await seen(manager)).toEqual([''])
    const rest: readonly EntryView[] = (await store.read(key, { view: 'raw', last: 9 })).entries
    expect(rest.filter(({ type }) => type === 'message')).toHaveLength(3)
    await say(store, turns(2))
    expect(await seen(manager)).toEqual(['', 'm0', 'm1'])
  })

  it('is not made when there is none', async () => {
    const { store, manager } = setUp()
    await manager.clear(key)
    expect(await store.getMeta(key)).toBeUndefined()
  })

  it('need not be told of messages', async () =>
    expect(await setUp().manager.ingest(key, { role: 'user' })).toBeUndefined())
})
