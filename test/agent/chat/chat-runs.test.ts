import { expect, it } from 'vitest'
import {
  type ChatHandlerOptions,
  chatEvents,
  createChatHandler,
  createContextManagers,
  type ModelEvent,
} from '../../../src/chat.ts'
import type { ModelContext } from '../../../src/client/context/context-types.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createMemoryBackend, createSessionStore, SessionError } from '../../../src/direct.ts'
import type { ContextManager } from '../../../src/picoclaw.ts'
import { ask, createModel, eventsOf, get, messageRequest, text } from './support/ask.ts'

const openStore = (): SessionStore => createSessionStore(createMemoryBackend())
const parrot = () =>
  createModel(function* ({ messages }) {
    yield text(`re: ${String(messages.at(-1)?.content)}`)
  })
const contents = async (store: SessionStore, key: string) =>
  (await store.read(key, { last: 4096 })).entries.map(({ message }) => message?.content)
const fullContext = (more: Partial<ModelContext> = {}): ModelContext => ({
  messages: [{ role: 'user', content: 'given' }],
  system: '',
  summary: '',
  memo: {},
  tokens: { total: 1, summary: 0, memo: 0, messages: 1, tools: 0 },
  turns: 1,
  leftOut: 0,
  fits: true,
  branch: '',
  ...more,
})
/** A context manager that notes what is asked of it. */
function notingManager(
  contexts: readonly ModelContext[],
  canShrink = true,
): ContextManager & { readonly notes: unknown[] } {
  const notes: unknown[] = []
  let count = 0
  return {
    notes,
    assemble: async () => contexts[Math.min(count++, contexts.length - 1)]!,
    shrink: async ({ reason }) => {
      notes.push(reason)
      return canShrink
    },
    ingest: async (_, { role }) => void notes.push(role),
    clear: async () => undefined,
  }
}

it('stores the message before the model is asked', async () => {
  const store = openStore()
  let stored: unknown
  const model = createModel(async function* () {
    stored = await contents(store, 's')
    yield text('yes')
  })
  await ask(createChatHandler(store, { model }), { message: 'there?', sessionId: 's' })
  expect(stored).toEqual(['there?'])
})

it('asks no model when the message can’t be stored, and says why', async () => {
  const store: SessionStore = {
    ...openStore(),
    append: () => Promise.reject(new SessionError('QuotaExceeded', 'full')),
  }
  const model = parrot()
  const response = await createChatHandler(store, { model })(messageRequest({ message: 'hi', sessionId: 's' }))
  expect([response.status, await response.json(), model.asked]).toEqual([
    507,
    { error: { name: 'QuotaExceeded', message: 'full' } },
    [],
  ])
})

it('goes on with the next message of the session after one that could not be stored', async () => {
  const store = openStore()
  let isFull = true
  const handle = createChatHandler(
    {
      ...store,
      append: (...args) => (isFull ? Promise.reject(new SessionError('QuotaExceeded', 'full')) : store.append(...args)),
    },
    { model: parrot() },
  )
  expect((await handle(messageRequest({ message: 'a', sessionId: 's' }))).status).toBe(507)
  isFull = false
  expect((await ask(handle, { message: 'b', sessionId: 's' })).map(({ type }) => type)).toEqual(['text_delta', 'done'])
})

it('tells a client nothing of an error that is a mistake, and its owner all of it', async () => {
  const errors: unknown[] = []
  const broken = new RangeError('secret path')
  const store: SessionStore = { ...openStore(), getMeta: () => Promise.reject(broken) }
  const response = await get(
    createChatHandler(store, { model: parrot(), onError: (error) => errors.push(error) }),
    '/api/sessions/s',
  )
  expect([response.status, await response.json(), errors]).toEqual([
    500,
    { error: { name: 'InternalError', message: 'The request could not be answered.' } },
    [broken],
  ])
})

it.each<[string, (store: SessionStore, mistake: Error) => readonly [SessionStore, Partial<ChatHandlerOptions>]]>([
  ['the store', (store, mistake) => [{ ...store, sealDraft: () => Promise.reject(mistake) }, {}]],
  ['the system prompt', (store, mistake) => [store, { systemPrompt: () => Promise.reject(mistake) }]],
  [
    'the context manager',
    (store, mistake) => [store, { contextManager: { ...notingManager([]), assemble: () => Promise.reject(mistake) } }],
  ],
])(
  'tells a client nothing of a mistake in the middle of a run, made by %s, and its owner all of it',
  async (_, spoil) => {
    const errors: unknown[] = []
    const mistake = new TypeError('secret path')
    const [store, options] = spoil(openStore(), mistake)
    const events = await ask(
      createChatHandler(store, { model: parrot(), onError: (error) => errors.push(error), ...options }),
      { message: 'hi' },
    )
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', error: 'The request could not be answered.', name: 'InternalError' },
      { type: 'done' },
    ])
    expect(errors).toContain(mistake)
  },
)

it.each<[string, unknown, object]>([
  ['an error', new TypeError('no credit'), { error: 'no credit', name: 'TypeError' }],
  ['a text', 'no credit', { error: 'no credit', name: 'Error' }],
])('tells client and owner what a model throws: %s', async (_, thrown, told) => {
  for (const model of [
    createModel(() => {
      throw thrown
    }),
    {
      reply: () => {
        throw thrown
      },
    },
  ]) {
    const errors: unknown[] = []
    const events = await ask(createChatHandler(openStore(), { model, onError: (error) => errors.push(error) }), {
      message: 'hi',
    })
    expect([events, errors]).toMatchObject([[{ type: 'error', ...told }, { type: 'done' }], [thrown]])
  }
})

it('takes nobody’s going away for an error', async () => {
  const errors: unknown[] = []
  const work: Promise<unknown>[] = []
  const leaving = new AbortController()
  const model = createModel(async function* () {
    yield text('a')
    await new Promise(() => undefined)
  })
  const response = await createChatHandler(openStore(), { model, onError: (error) => errors.push(error) })(
    messageRequest({ message: 'hi' }, { signal: leaving.signal }),
    { waitUntil: (promise) => void work.push(promise) },
  )
  await response.body!.getReader().read()
  leaving.abort()
  await Promise.all(work)
  expect(errors).toEqual([])
})

it('journals a reply while it grows, so that a worker that dies leaves it marked as interrupted', async () => {
  const backend = createMemoryBackend()
  const alive = new Set(['first', 'second'])
  const open = (owner: string) => createSessionStore(backend, { owner, isOwnerAlive: async (name) => alive.has(name) })
  const model = createModel(async function* () {
    yield text('half a th')
    await new Promise(() => undefined)
  })
  const first = open('first')
  await createChatHandler(first, { model })(messageRequest({ message: 'go', sessionId: 's' }))
  await expect.poll(() => first.listDrafts('s')).toMatchObject([{ text: 'half a th' }])

  const handle = createChatHandler(open('second'), { model: parrot() })
  const messages = async () => ((await (await get(handle, '/api/sessions/s')).json()) as { messages: unknown }).messages
  expect(await messages()).toMatchObject([{ content: 'go' }])
  alive.delete('first')
  expect(await messages()).toMatchObject([
    { content: 'go' },
    { role: 'assistant', content: 'half a th', interrupted: true },
  ])
})

it('puts an interrupted reply before the message that follows it', async () => {
  const backend = createMemoryBackend()
  const first = createSessionStore(backend, { owner: 'first' })
  await first.append('s', [{ type: 'message', message: { role: 'user', content: 'go' } }])
  await first.writeDraft('s', await first.openDraft('s', { role: 'assistant' }), 0, { text: 'half' })
  const second = createSessionStore(backend, { owner: 'second', isOwnerAlive: async () => false })
  await ask(createChatHandler(second, { model: parrot() }), { message: 'and?', sessionId: 's' })
  expect(await contents(second, 's')).toEqual(['go', 'half', 'and?', 're: and?'])
})

it('does what is due behind a reply, though the client stops reading at its end', async () => {
  const store = openStore()
  const manager = notingManager([fullContext()])
  let let_go: () => void = () => undefined
  const held = new Promise<void>((resolve) => (let_go = resolve))
  let isOver = false
  const shrink: ContextManager['shrink'] = async ({ signal }) => {
    await held
    isOver = signal?.aborted !== true
    return true
  }
  const handle = createChatHandler(store, { model: parrot(), contextManager: { ...manager, shrink } })
  const work: Promise<unknown>[] = []
  const leaving = new AbortController()
  const response = await handle(messageRequest({ message: 'hi' }, { signal: leaving.signal }), {
    waitUntil: (promise) => void work.push(promise),
  })
  for await (const { type } of chatEvents(response)) if (type === 'done') break
  leaving.abort()
  expect([work.length, isOver]).toEqual([1, false])
  let_go()
  await work[0]
  expect(isOver).toBe(true)
})

it('keeps the stream open until what is due behind the reply is done', async () => {
  let let_go: () => void = () => undefined
  const held = new Promise<boolean>((resolve) => (let_go = () => resolve(true)))
  const manager = { ...notingManager([fullContext()]), shrink: () => held }
  const response = await createChatHandler(openStore(), { model: parrot(), contextManager: manager })(
    messageRequest({ message: 'hi' }),
  )
  const reader = response.body!.getReader()
  let heard = ''
  while (!heard.includes('"done"')) heard += new TextDecoder().decode((await reader.read()).value)
  let isClosed = false
  const closing = reader.read().then(({ done }) => (isClosed = done))
  await new Promise((resolve) => setTimeout(resolve))
  expect(isClosed).toBe(false)
  let_go()
  await closing
  expect(isClosed).toBe(true)
})

it('lets a failing title or compaction break no reply, but tells of them', async () => {
  const errors: unknown[] = []
  const fail = (name: string) => () => Promise.reject(new Error(name))
  const contextManager = { ...notingManager([fullContext()]), shrink: fail('shrink'), ingest: fail('ingest') }
  const events = await ask(
    createChatHandler(openStore(), {
      model: parrot(),
      contextManager,
      title: fail('title'),
      onError: (error) => errors.push((error as Error).message),
    }),
    { message: 'hi' },
  )
  expect(events.map(({ type }) => type)).toEqual(['text_delta', 'done'])
  expect(errors).toEqual(['ingest', 'ingest', 'title', 'shrink'])
})

it('tells the context manager of each message once it is stored, and asks it after each run', async () => {
  const contextManager = notingManager([fullContext()])
  const model = createModel(function* (_, n) {
    if (n === 1) yield { type: 'toolCall', toolCall: { id: 'c', name: 'none', arguments: {} } }
    else yield text('over')
  })
  await ask(createChatHandler(openStore(), { model, contextManager }), { message: 'hi' })
  expect(contextManager.notes).toEqual(['user', 'assistant', 'tool', 'assistant', 'summarise'])
})

it('counts the summary in what it says a session costs in the end', async () => {
  const store = openStore()
  const handle = createChatHandler(store, { model: parrot() })
  await ask(handle, { message: 'hi', sessionId: 's' })
  await store.setCompaction('s', { summary: 'x'.repeat(398), keepLast: 0 })
  // `"hi"` and `"re: hi"` are one and two tokens, the summary in quotes 100.
  expect((await ask(handle, { message: 'hi', sessionId: 's' })).at(-1)).toMatchObject({
    type: 'done',
    tokenEstimate: 103,
  })
})

it('makes a context smaller before a request that would not fit', async () => {
  const contextManager = notingManager([
    fullContext({ leftOut: 3 }),
    fullContext({ messages: [{ role: 'user', content: 'smaller' }] }),
  ])
  const model = parrot()
  await ask(createChatHandler(openStore(), { model, contextManager }), { message: 'hi' })
  expect(contextManager.notes).toEqual(['user', 'proactive-budget', 'assistant', 'summarise'])
  expect(model.asked[0]?.messages).toEqual([{ role: 'user', content: 'smaller' }])
})

it('asks no model with nothing', async () => {
  const model = parrot()
  const events = await ask(
    createChatHandler(openStore(), { model, contextManager: notingManager([fullContext({ messages: [] })]) }),
    { message: 'hi' },
  )
  expect(events).toMatchObject([{ type: 'error', name: 'TooLarge' }, { type: 'done' }])
  expect(model.asked).toEqual([])
})

it('asks no model when the message alone is too much', async () => {
  const model = parrot()
  const handle = createChatHandler(openStore(), { model, contextWindow: 1100, maxTokens: 1000 })
  expect(await ask(handle, { message: 'x'.repeat(1000), sessionId: 's' })).toMatchObject([
    { type: 'error', name: 'TooLarge' },
    { type: 'done' },
  ])
  expect(model.asked).toEqual([])
  expect(await ask(handle, { message: 'short', sessionId: 's' })).toMatchObject([
    { type: 'text_delta' },
    { type: 'done' },
  ])
})

it('asks a model that refuses a context once more, and no oftener', async () => {
  const contextManager = notingManager([fullContext()])
  const model = createModel(() => {
    throw Object.assign(new Error('too long'), { name: 'ContextTooLong' })
  })
  const events = await ask(createChatHandler(openStore(), { model, contextManager }), { message: 'hi' })
  expect(events).toMatchObject([{ type: 'error', error: 'too long', name: 'ContextTooLong' }, { type: 'done' }])
  expect([model.asked.length, contextManager.notes]).toEqual([2, ['user', 'model-refused', 'summarise']])
})

it('makes a context smaller once in a run, however often the model refuses it', async () => {
  const contextManager = notingManager([fullContext()])
  const model = createModel(function* (_, n) {
    if (n !== 2) throw Object.assign(new Error('too long'), { contextTooLong: true })
    yield { type: 'toolCall', toolCall: { name: 'none', arguments: {} } }
  })
  const events = await ask(createChatHandler(openStore(), { model, contextManager }), { message: 'hi' })
  expect(events.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'error', 'done'])
  expect(contextManager.notes.filter((note) => note === 'model-refused')).toHaveLength(1)
})

it.each<[string, ModelEvent]>([
  ['a text', text('half')],
  ['a thought', { type: 'thinking', text: 'hm' }],
  ['a call', { type: 'toolCall', toolCall: { name: 'none', arguments: {} } }],
])('asks no model again that has said something before it refuses: %s', async (_, event) => {
  const store = openStore()
  const model = createModel(function* () {
    yield event
    throw Object.assign(new Error('too long'), { contextTooLong: true })
  })
  const events = await ask(createChatHandler(store, { model, contextManager: notingManager([fullContext()]) }), {
    message: 'hi',
    sessionId: 's',
  })
  expect([events.map(({ type }) => type).slice(1), model.asked.length]).toEqual([['error', 'done'], 1])
  expect((await contents(store, 's')).filter((content) => content === 'half')).toHaveLength(
    event.type === 'text' ? 1 : 0,
  )
})

it('gives up at once when what the model refuses can’t be made smaller', async () => {
  const model = createModel(() => {
    throw Object.assign(new Error('too long'), { contextTooLong: true })
  })
  await ask(createChatHandler(openStore(), { model, contextManager: notingManager([fullContext()], false) }), {
    message: 'hi',
  })
  expect(model.asked).toHaveLength(1)
})

it('leaves the room that its own prompts take to no message', async () => {
  const asked: number[] = []
  const contextManager: ContextManager = {
    ...notingManager([fullContext()]),
    assemble: async ({ contextWindow }) => (asked.push(contextWindow), fullContext()),
  }
  await ask(
    createChatHandler(openStore(), {
      model: parrot(),
      contextManager,
      contextWindow: 1000,
      systemPrompt: 'x'.repeat(400),
    }),
    { message: 'hi' },
  )
  // 402 bytes of JSON, a quarter of that in tokens.
  expect(asked).toEqual([900])
})

it.each([
  [131_072, 32_768],
  [400_000, 32_768],
  [32_000, 8_000],
  [8_192, 2_048],
  [10, 2],
])('leaves of a window of %i tokens %i to the reply', async (contextWindow, maxTokens) => {
  const asked: unknown[] = []
  const contextManager: ContextManager = {
    ...notingManager([fullContext()]),
    assemble: async (request) => (asked.push(request.maxTokens), fullContext()),
  }
  await ask(createChatHandler(openStore(), { model: parrot(), contextManager, contextWindow }), { message: 'hi' })
  expect(asked).toEqual([maxTokens])
})

it('answers with a small window', async () => {
  const model = parrot()
  expect(
    (await ask(createChatHandler(openStore(), { model, contextWindow: 8_192 }), { message: 'hi' })).map(
      ({ type }) => type,
    ),
  ).toEqual(['text_delta', 'done'])
})

it.each([
  { contextWindow: 8_192, maxTokens: 8_192 },
  { maxTokens: 131_072 },
  { contextWindow: 0 },
  { contextWindow: Number.NaN },
  { contextWindow: '8192' as never },
  { maxTokens: -1 },
  { maxTokens: Number.NaN },
])('refuses a window that leaves no room beside the reply: %j', (limits) => {
  expect(() => createChatHandler(openStore(), { model: parrot(), ...limits })).toThrow(
    expect.objectContaining({ name: 'InvalidInput' }),
  )
})

it('tells summary and memo in the system prompt only, wherever the context manager puts them', async () => {
  const system = 'What was said before.'
  const model = parrot()
  const contextManager = notingManager([
    fullContext({
      system,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: 'given' },
      ],
    }),
  ])
  await ask(createChatHandler(openStore(), { model, contextManager, systemPrompt: 'Be kind.' }), {
    message: 'hi',
    context: 'It rains.',
  })
  expect(model.asked[0]).toMatchObject({
    system: 'Be kind.\n\nWhat was said before.\n\nIt rains.',
    messages: [{ role: 'user', content: 'given' }],
  })
})

it('writes nothing while its context manager can’t be made, and tries again', async () => {
  const store = openStore()
  let isReady = false
  const contextManager = async () => {
    if (!isReady) throw new Error('not yet')
    return notingManager([fullContext()])
  }
  const onError = () => {
    throw new Error('nobody is at home')
  }
  const handle = createChatHandler(store, { model: parrot(), contextManager, onError })
  expect([(await handle(messageRequest({ message: 'hi', sessionId: 's' }))).status, await store.getMeta('s')]).toEqual([
    500,
    undefined,
  ])
  isReady = true
  expect((await ask(handle, { message: 'hi', sessionId: 's' })).at(-1)).toMatchObject({ type: 'done' })
})

it('shows a model no call without its result, nor what is stored for display only', async () => {
  const store = openStore()
  const call = (id: string) => [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }]
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b', toolCalls: [{ id: 'shown', name: 'f', input: {}, result: 'r' }] },
    { role: 'user', content: 'c' },
    { role: 'assistant', content: '', tool_calls: call('open') },
    { role: 'tool', tool_call_id: 'orphan', content: 'r' },
    { role: 'user', content: 'd' },
    { role: 'assistant', content: '', tool_calls: call('paired') },
    { role: 'tool', tool_call_id: 'paired', content: 'r' },
  ]
  await store.append(
    's',
    messages.map((message) => ({ type: 'message', message })),
  )
  const model = parrot()
  await ask(createChatHandler(store, { model }), { message: 'e', sessionId: 's' })
  const asked = JSON.stringify(model.asked[0]?.messages)
  expect(['shown', 'open', 'orphan', 'paired'].map((id) => asked.includes(id))).toEqual([false, false, false, true])
})

it('has the model itself make summaries, where nothing else does', async () => {
  const store = openStore()
  const model = createModel(function* ({ sessionId }) {
    yield text(sessionId === '' ? 'they counted' : 'x'.repeat(400))
  })
  const handle = createChatHandler(store, { model, threshold: 500 })
  for (let i = 0; i < 22; i++) await ask(handle, { message: `number ${i}`, sessionId: 's' })
  expect(await store.getSummary('s')).toBe('they counted')
  const [first, second] = model.asked.filter(({ agentId, sessionId }) => agentId === '' && sessionId === '')
  expect(first).toMatchObject({
    tools: [],
    messages: [{ role: 'user', content: expect.stringMatching(/^user: number 0\n\nassistant: x+$/) }],
  })
  expect(second).toMatchObject({
    messages: [{ content: expect.stringMatching(/^summary of what came before: they counted\n\nuser: number 1\n/) }],
  })
})

it('ends a run whose model does not heed the signal', async () => {
  const store = openStore()
  const leaving = new AbortController()
  const model = createModel(async function* (_, n) {
    yield text(`reply ${n}`)
    if (n === 1) await new Promise(() => undefined)
  })
  const handle = createChatHandler(store, { model })
  const response = await handle(messageRequest({ message: 'a', sessionId: 's' }, { signal: leaving.signal }))
  await response.body!.getReader().read()
  leaving.abort()
  await ask(handle, { message: 'b', sessionId: 's' })
  expect((await store.read('s')).entries.map(({ message }) => [message?.content, message?.['interrupted']])).toEqual([
    ['a', undefined],
    ['reply 1', true],
    ['b', undefined],
    ['reply 2', undefined],
  ])
  expect(model.asked[0]?.signal.aborted).toBe(true)
})

it('lets nobody wait who went away', async () => {
  const store = openStore()
  let let_go: () => void = () => undefined
  const held = new Promise<void>((resolve) => (let_go = resolve))
  const model = createModel(async function* () {
    await held
    yield text('ok')
  })
  const handle = createChatHandler(store, { model })
  const first = await handle(messageRequest({ message: 'a', sessionId: 's' }))
  const leaving = new AbortController()
  const second = handle(messageRequest({ message: 'b', sessionId: 's' }, { signal: leaving.signal }))
  const third = handle(messageRequest({ message: 'c', sessionId: 's' }))
  await new Promise((resolve) => setTimeout(resolve))
  leaving.abort()
  expect((await second).status).toBe(499)
  let_go()
  await eventsOf(first)
  await eventsOf(await third)
  expect(await contents(store, 's')).toEqual(['a', 'ok', 'c', 'ok'])
})

it('does nothing for who is gone before it begins', async () => {
  const store = openStore()
  const response = await createChatHandler(store, { model: parrot() })(
    messageRequest({ message: 'a', sessionId: 's' }, { signal: AbortSignal.abort() }),
  )
  expect([response.status, await store.getMeta('s')]).toEqual([499, undefined])
})

it('never brings a session back that was deleted while its reply was on the way', async () => {
  const store = openStore()
  const model = createModel(async function* () {
    yield text('too')
    await store.delete('s')
    yield text(' late')
  })
  const events = await ask(createChatHandler(store, { model }), { message: 'hi', sessionId: 's' })
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', name: 'SessionNotFound' },
    { type: 'done', sessionId: 's' },
  ])
  expect((await store.getMeta('s'))?.deletedAt).toBeGreaterThan(0)
})

it.each<[string, NonNullable<ChatHandlerOptions['contextManager']>]>([
  ['one', notingManager([fullContext()])],
  ['what makes one', () => notingManager([fullContext()])],
])('takes %s for its context manager', async (_, contextManager) => {
  const model = parrot()
  await ask(createChatHandler(openStore(), { model, contextManager }), { message: 'hi' })
  expect(model.asked[0]?.messages).toEqual([{ role: 'user', content: 'given' }])
})

it('takes the name of a context manager, and says so where there is none of that name', async () => {
  const store = openStore()
  const errors: unknown[] = []
  const picoclaw = createChatHandler(store, {
    model: parrot(),
    contextManager: 'picoclaw',
    summarise: () => 'what PicoClaw says',
    onError: (error) => errors.push(error),
  })
  // More than 20 messages are too many for PicoClaw, few as their tokens are.
  for (let i = 0; i < 11; i++) await ask(picoclaw, { message: `number ${i}`, sessionId: 's' })
  expect(await store.getSummary('s')).toContain('what PicoClaw says')
  expect(errors).toEqual([])
  await ask(
    createChatHandler(store, { model: parrot(), contextManager: 'none', onError: (error) => errors.push(error) }),
    { message: 'hi' },
  )
  expect(errors).toMatchObject([{ name: 'HandlerMissing' }])
})

it('takes the name of a context manager that the app has registered', async () => {
  const contextManagers = createContextManagers()
  contextManagers.register('mine', () => notingManager([fullContext()]))
  const errors: unknown[] = []
  const model = parrot()
  await ask(
    createChatHandler(openStore(), {
      model,
      contextManager: 'mine',
      contextManagers,
      onError: (error) => errors.push(error),
    }),
    { message: 'hi' },
  )
  expect([model.asked[0]?.messages, errors]).toEqual([[{ role: 'user', content: 'given' }], []])
})

it('keeps its threshold where there is no context manager of a name', async () => {
  const store = openStore()
  const handle = createChatHandler(store, {
    model: parrot(),
    contextManager: 'none',
    threshold: 100,
    summarise: () => 'short',
  })
  for (let i = 0; i < 22; i++) await ask(handle, { message: `number ${i} ${'x'.repeat(40)}`, sessionId: 's' })
  expect(await store.getSummary('s')).toBe('short')
})

it('stores nothing where a factory makes no context manager, and says so', async () => {
  const store = openStore()
  const errors: unknown[] = []
  const response = await createChatHandler(store, {
    model: parrot(),
    contextManager: () => ({ assemble: () => undefined }) as never,
    onError: (error) => errors.push(error),
  })(messageRequest({ message: 'hi', sessionId: 's' }))
  expect([response.status, errors, await store.getMeta('s')]).toMatchObject([500, [expect.any(TypeError)], undefined])
})

it.each([null, {}, 7])('refuses %j for its context manager', (contextManager) => {
  expect(() => createChatHandler(openStore(), { model: parrot(), contextManager: contextManager as never })).toThrow(
    TypeError,
  )
})

it.each<[string, () => unknown]>([
  ['gives nothing', () => undefined],
  [
    'throws at once',
    () => {
      throw new Error('ingest')
    },
  ],
])('goes on though the ingest of its context manager %s', async (_, ingest) => {
  const contextManager = { ...notingManager([fullContext()]), ingest: ingest as ContextManager['ingest'] }
  const events = await ask(createChatHandler(openStore(), { model: parrot(), contextManager }), { message: 'hi' })
  expect(events.map(({ type }) => type)).toEqual(['text_delta', 'done'])
})
