import { request as httpRequest } from 'node:http'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createChatHandler } from '../../../src/chat.ts'
import { createSplitStore } from '../../../src/client/worker/split-store.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createMemoryBackend, createSessionStore, openIndexedDbBackend, SessionError } from '../../../src/direct.ts'
import { openWebStorageBackend } from '../../../src/storage/web-storage-backend.ts'
import { createWebStorage } from '../../support/web-storage.ts'
import { twoTabs } from '../support/memory-store.ts'
import { ask, createModel, get, messageRequest, text } from './support/ask.ts'
import { serveChat } from './support/serve-chat.ts'

const openStore = (): SessionStore => createSessionStore(createMemoryBackend())
const parrot = () =>
  createModel(function* ({ messages }) {
    yield text(`re: ${String(messages.at(-1)?.content)}`)
  })
const ids = async (response: Promise<Response>) =>
  ((await (await response).json()) as { sessions: { id: string }[] }).sessions.map(({ id }) => id)
const say = (content: string) => [{ type: 'message' as const, message: { role: 'user', content } }]

it('lists what can be opened: nothing empty, moved or without a name that fits a path', async () => {
  const store = openStore()
  const handle = createChatHandler(store, { model: parrot() })
  await store.updateMeta('empty', { agentId: 'main' })
  await store.append('a/b', say('slash'))
  await store.append('old', say('moved'))
  await store.ensureSessionMetadata('new', undefined, ['old'])
  await store.append('mine', say('hi'))
  expect((await ids(get(handle, '/api/sessions'))).sort()).toEqual(['mine', 'new'])
  expect(await (await get(handle, '/api/sessions/empty')).json()).toMatchObject({ id: 'empty', messages: [] })
})

it('counts a session that names no agent as one of main', async () => {
  const store = openStore()
  const handle = createChatHandler(store, { model: parrot() })
  await store.append('s', say('hi'))
  expect(await ids(get(handle, '/api/agents/main/sessions'))).toEqual(['s'])
  expect((await get(handle, '/api/agents/other/sessions/s')).status).toBe(404)
  expect((await handle(messageRequest({ message: 'x', sessionId: 's' }, { agent: 'other' }))).status).toBe(404)
})

const scope = (agentId: string) => ({
  version: 1 as const,
  agent_id: agentId,
  channel: 'web',
  account: 'default',
  dimensions: [],
  values: {},
})

it.each<[string, string, (store: SessionStore, key: string) => Promise<unknown>]>([
  ['by its key', 'agent:sales:direct:bob', async () => undefined],
  ['by its scope', `sk_v1_${'a'.repeat(64)}`, (store, key) => store.ensureSessionMetadata(key, scope('Sales'))],
  [
    'by its scope, whatever its key says',
    'agent:main:direct:bob',
    (store, key) => store.ensureSessionMetadata(key, scope('sales')),
  ],
  [
    'by its metadata, whatever its key says',
    'agent:main:direct:bob',
    (store, key) => store.updateMeta(key, { agentId: 'sales' }),
  ],
])('keeps a session from main that is another agent’s %s', async (_, key, own) => {
  const store = openStore()
  await store.append(key, say('secret'))
  await own(store, key)
  const handle = createChatHandler(store, { model: parrot() })
  const path = (agent: string) => `/api/agents/${agent}/sessions/${encodeURIComponent(key)}`
  const statuses = async (agent: string) => {
    const change = (method: string, body?: string) =>
      handle(
        new Request(`http://localhost${path(agent)}`, {
          method,
          ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
        }),
      )
    const chat = await handle(messageRequest({ message: 'x', sessionId: key }, { agent }))
    await chat.text()
    return [
      chat.status,
      (await get(handle, path(agent))).status,
      (await change('PATCH', '{"title":"mine"}')).status,
      await ids(get(handle, `/api/agents/${agent}/sessions`)),
      (await change('DELETE')).status,
    ]
  }
  expect(await statuses('main')).toEqual([404, 404, 404, [], 404])
  expect(await statuses('sales')).toEqual([200, 200, 200, [key], 204])
})

it('shows main no session whose scope is another agent’s, though no router made it', async () => {
  let time = Date.UTC(2026, 0, 1)
  const store = createSessionStore(createMemoryBackend(), { now: () => (time += 1000) })
  for (const key of ['a', 'b', 'c']) await store.append(key, say(key))
  await store.ensureSessionMetadata('b', scope('sales'))
  const listed = await (await get(createChatHandler(store, { model: parrot() }), '/api/sessions')).json()
  expect(listed).toMatchObject({ total: 2, sessions: [{ id: 'c' }, { id: 'a' }] })
})

it('lists what is still in Web Storage with the rest, and answers in it', async () => {
  let time = Date.UTC(2026, 0, 1)
  const now = () => (time += 1000)
  const left = createSessionStore(await openWebStorageBackend({ name: 'app', storage: createWebStorage() }), { now })
  const main = createSessionStore(createMemoryBackend(), { now })
  for (const [store, key] of [
    [left, 'left 1'],
    [main, 'main 1'],
    [left, 'left 2'],
    [main, 'main 2'],
  ] as const)
    await store.append(key, say(`in ${key}`))
  const handle = createChatHandler(await createSplitStore(main, left, ['left 1', 'left 2']), { model: parrot() })
  const rows = async (query: string) =>
    (await (await get(handle, `/api/sessions${query}`)).json()) as {
      sessions: { id: string; preview: string }[]
      total?: number
      next: string
    }
  expect(await rows('')).toMatchObject({
    total: 4,
    sessions: ['main 2', 'left 2', 'main 1', 'left 1'].map((id) => ({ id, preview: `in ${id}` })),
  })
  const { sessions, next } = await rows('?limit=3')
  expect([sessions.length, (await rows(`?limit=3&cursor=${next}`)).sessions]).toMatchObject([3, [{ id: 'left 1' }]])
  await ask(handle, { message: 'more', sessionId: 'left 1' })
  expect((await left.getHistory('left 1')).map(({ content }) => content)).toEqual(['in left 1', 'more', 're: more'])
  expect((await rows('?limit=1')).sessions).toMatchObject([{ id: 'left 1', messageCount: 3 }])
})

it('begins a deleted session anew for its agent, though an earlier try broke off halfway', async () => {
  const inner = openStore()
  let isBroken = false
  const store: SessionStore = {
    ...inner,
    updateMeta: (...args) =>
      isBroken ? Promise.reject(new SessionError('WorkerLost', 'gone')) : inner.updateMeta(...args),
  }
  const handle = createChatHandler(store, { model: parrot() })
  const send = async (message: string, agent = 'sales') => {
    const response = await handle(messageRequest({ message, sessionId: 's' }, { agent }))
    await response.text()
    return response.status
  }
  for (let round = 0; round < 2; round++) {
    expect(await send('old')).toBe(200)
    await inner.delete('s')
    isBroken = true
    expect(await send('new')).toBe(503)
    isBroken = false
    expect([
      await send('again'),
      await send('not mine', 'main'),
      await ids(get(handle, '/api/agents/sales/sessions')),
    ]).toEqual([200, 404, ['s']])
    expect((await inner.getHistory('s')).map(({ content }) => content)).toEqual(['again', 're: again'])
  }
})

it('gives a session that began anew and got no further to one of two agents', async () => {
  for (let round = 0; round < 10; round++) {
    const [one, other] = twoTabs()
    await one.append('s', say('old'))
    await one.delete('s')
    await one.ensureSessionMetadata('s')
    const responses = await Promise.all(
      [
        [one, 'ann'],
        [other, 'ben'],
      ].map(([store, agent]) =>
        createChatHandler(store as SessionStore, { model: parrot() })(
          messageRequest({ message: `from ${String(agent)}`, sessionId: 's' }, { agent: agent as string }),
        ),
      ),
    )
    for (const response of responses) await response.text()
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
  }
})

it('counts no session as blank that says something without a message', async () => {
  const store = openStore()
  await store.updateMeta('s', { memo: { secret: 1 } })
  expect(
    (
      await createChatHandler(store, { model: parrot() })(
        messageRequest({ message: 'x', sessionId: 's' }, { agent: 'sales' }),
      )
    ).status,
  ).toBe(404)
})

it('reads no more of a list than a page takes, once a cursor goes on', async () => {
  let time = Date.UTC(2026, 0, 1)
  const inner = createSessionStore(createMemoryBackend(), { now: () => (time += 1000) })
  for (let n = 0; n < 600; n++) {
    await inner.append(`s${n}`, say(`${n}`))
    await inner.updateMeta(`s${n}`, { agentId: n % 2 === 0 ? 'main' : 'bob' })
  }
  let read = 0
  const store: SessionStore = {
    ...inner,
    listSessions: async (query) => {
      const page = await inner.listSessions(query)
      read += page.sessions.length
      return page
    },
  }
  const handle = createChatHandler(store, { model: parrot() })
  const found: string[] = []
  let next: string | undefined
  for (let n = 0; n === 0 || next !== undefined; n++) {
    read = 0
    const page = (await (
      await get(handle, `/api/sessions?limit=20${next === undefined ? '' : `&cursor=${next}`}`)
    ).json()) as { sessions: { id: string }[]; next?: string; total?: number }
    expect([page.total, n === 0 || read <= 500]).toEqual([n === 0 ? 300 : undefined, true])
    // What changes meanwhile moves to the beginning, and takes nothing with it.
    if (n === 2) for (const key of ['s598', 's302', 's300']) await inner.append(key, say('more'))
    found.push(...page.sessions.map(({ id }) => id))
    next = page.next
  }
  const all = Array.from({ length: 300 }, (_, n) => `s${598 - 2 * n}`)
  expect(found).toEqual(all.filter((key) => !['s302', 's300'].includes(key)))
})

it('finds a session by an alias, and tells its key', async () => {
  const store = openStore()
  const handle = createChatHandler(store, { model: parrot() })
  await store.append('s', say('hi'))
  await store.updateMeta('s', { aliases: ['wiki:home'] })
  expect((await ask(handle, { message: 'more', sessionId: 'wiki:home' })).at(-1)).toMatchObject({ sessionId: 's' })
  expect(await (await get(handle, '/api/sessions/wiki%3Ahome')).json()).toMatchObject({ id: 's', messageCount: 3 })
})

it.each([
  ['/chat', '/chat/sessions'],
  ['/v1/ai/', '/v1/ai/sessions'],
  ['', '/sessions'],
])('serves under the base path "%s"', async (basePath, path) => {
  const handle = createChatHandler(openStore(), { model: parrot(), basePath })
  expect([(await get(handle, path)).status, (await get(handle, `/elsewhere${path}`)).status]).toEqual([200, 404])
})

it('knows the agents of a list, and no other', async () => {
  const handle = createChatHandler(openStore(), { model: parrot(), agents: ['a', 'b'] })
  expect([
    (await get(handle, '/api/agents/b/sessions')).status,
    (await get(handle, '/api/agents/c/sessions')).status,
    (await get(handle, '/api/sessions')).status,
  ]).toEqual([200, 404, 404])
})

it('shows the whole of a long session, reading no further than its client', async () => {
  const inner = openStore()
  const messages = Array.from({ length: 20_000 }, (_, n) => ({
    type: 'message' as const,
    message: { role: n % 2 === 0 ? 'user' : 'assistant', content: `${n}` },
  }))
  for (let i = 0; i < messages.length; i += 500) await inner.append('s', messages.slice(i, i + 500))
  await inner.setCompaction('s', { summary: 'counting', keepLast: 2 })
  let pages = 0
  const store: SessionStore = { ...inner, read: (...args) => (pages++, inner.read(...args)) }
  const response = await get(createChatHandler(store, { model: parrot() }), '/api/sessions/s')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(pages).toBeLessThanOrEqual(5)
  const whole = (await response.json()) as { messages: { content: string }[]; summary: string }
  expect(whole.messages.map(({ content }) => content)).toEqual(messages.map(({ message }) => message.content))
  expect(whole.summary).toBe('counting')
})

it('shows messages with the ids and times they have', async () => {
  const store = openStore()
  const { entries } = await store.append('s', [
    ...say('own'),
    { type: 'label', data: { label: 'no message' } },
    { type: 'message', message: { role: 'user', id: 'm1', timestamp: 7, content: 'given' } },
  ])
  const { messages } = (await (await get(createChatHandler(store, { model: parrot() }), '/api/sessions/s')).json()) as {
    messages: unknown
  }
  expect(messages).toEqual([
    { id: entries[0]?.id, timestamp: entries[0]?.at, role: 'user', content: 'own' },
    { id: 'm1', timestamp: 7, role: 'user', content: 'given' },
  ])
})

it.each<[string, object, string]>([
  ['an image', { role: 'user', content: [{ type: 'image', source: {} }] }, '[image]'],
  ['media of PicoClaw', { role: 'user', content: '', media: ['data:image/png;base64,AAAA'] }, '[image]'],
  ['a file', { role: 'user', content: [{ type: 'file', filename: 'a.pdf' }] }, '[attachment]'],
  ['attachments of PicoClaw', { role: 'user', content: '', attachments: [{ type: 'audio' }] }, '[attachment]'],
  [
    'a file of the AI SDK that is an image',
    { role: 'user', parts: [{ type: 'file', mediaType: 'image/png' }] },
    '[image]',
  ],
  ['text in parts', { role: 'user', parts: [{ type: 'text', text: ' hello ' }] }, 'hello'],
  [
    'a word that ends where the preview does',
    { role: 'user', content: `${'x'.repeat(59)} and more` },
    `${'x'.repeat(59)}…`,
  ],
  ['nothing', { role: 'user', content: '' }, '(empty)'],
  ['no user at all', { role: 'assistant', content: 'hello' }, '(empty)'],
])('previews a session that begins with %s', async (_, message, preview) => {
  const store = openStore()
  await store.append('s', [
    { type: 'message', message: { role: 'assistant', content: 'welcome' } },
    { type: 'message', message: message as never },
  ])
  expect(await (await get(createChatHandler(store, { model: parrot() }), '/api/sessions')).json()).toMatchObject({
    sessions: [{ preview }],
  })
})

it('finds the first user message however late it comes', async () => {
  const store = openStore()
  await store.append(
    's',
    Array.from({ length: 400 }, (_, n) => ({
      type: 'message' as const,
      message: { role: 'assistant', content: `${n}` },
    })),
  )
  await store.append('s', say('at last'))
  expect(await (await get(createChatHandler(store, { model: parrot() }), '/api/sessions')).json()).toMatchObject({
    sessions: [{ preview: 'at last' }],
  })
})

it('takes no path for another than it is, however it is written', async () => {
  const store = openStore()
  await store.append('secret', say('hi'))
  await store.updateMeta('secret', { agentId: 'alice' })
  const served = await serveChat(createChatHandler(store, { model: parrot() }))
  const { port } = new URL(served.url)
  // As they are: a browser would tidy them up.
  const statusOf = (path: string) =>
    new Promise<number>((resolve, reject) =>
      httpRequest({ port, path }, (response) => (response.resume(), resolve(response.statusCode ?? 0)))
        .on('error', reject)
        .end(),
    )
  const paths = [
    '/api/agents/bob/sessions/../../alice/sessions/secret/',
    '/api/agents/bob/sessions/..%2f..%2falice%2fsessions%2fsecret',
    '/api/agents/bob/sessions/..\\..\\alice\\sessions\\secret\\x',
    '/api//agents/alice/sessions/secret',
    '//api/agents/alice/sessions/secret',
    '/api/agents/bob/sessions/%2e%2e/secret',
    '/api/agents/bob/sessions/secret',
    '/api/agents/alice/sessions/secret?/../..',
    '/api/agents/%61lice/sessions/secre%74',
  ]
  const statuses = []
  for (const path of paths) statuses.push(await statusOf(path))
  await served.close()
  // The last two are but another spelling of the path.
  expect(statuses).toEqual([404, 400, 404, 404, 404, 404, 404, 200, 200])
})

it('answers any body with a refusal that writes nothing, or does what it says', async () => {
  const store = openStore()
  const handle = createChatHandler(store, { model: parrot(), mostBodyBytes: 2000, mostImageBytes: 100 })
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'data:image/png;base64,AAAA',
      'data:image/png;base64,A',
      '..',
      'a/b',
      '\ud800',
      'x'.repeat(3000),
      null,
    ),
  )
  const bodies = fc.oneof(
    fc
      .record(
        {
          message: odd,
          sessionId: odd,
          context: odd,
          images: fc.oneof(odd, fc.array(odd, { maxLength: 3 })),
          history: odd,
        },
        { requiredKeys: [] },
      )
      .map((body) => JSON.stringify(body)),
    fc.jsonValue().map((body) => JSON.stringify(body)),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const before = (await store.listSessions()).sessions.map(({ key, updatedAt, messageCount }) => [
        key,
        updatedAt,
        messageCount,
      ])
      const response = await handle(
        new Request('http://localhost/api/agents/main/chat', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        }),
      )
      const answer = await response.text()
      if (response.status === 200) {
        expect(answer).toMatch(/"done","sessionId":"[^]*\}\n\n$/)
        return
      }
      expect([400, 413]).toContain(response.status)
      expect(JSON.parse(answer)).toEqual({ error: { name: expect.any(String), message: expect.any(String) } })
      expect(
        (await store.listSessions()).sessions.map(({ key, updatedAt, messageCount }) => [key, updatedAt, messageCount]),
      ).toEqual(before)
    }),
    { numRuns: 200 },
  )
})

it.each<[string, Readonly<Record<string, string>>, number]>([
  ['does not say how long it is', {}, 11],
  ['says that it is too long', { 'content-length': '10001' }, 0],
])('reads no more than it may have of a body that %s', async (_, headers, most) => {
  let taken = 0
  const endless = new ReadableStream<Uint8Array>(
    { pull: (controller) => (taken++, controller.enqueue(new Uint8Array(1000).fill(32))) },
    { highWaterMark: 0 },
  )
  const request = new Request('http://localhost/api/agents/main/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: endless,
    duplex: 'half',
  } as RequestInit)
  expect((await createChatHandler(openStore(), { model: parrot(), mostBodyBytes: 10_000 })(request)).status).toBe(413)
  expect(taken).toBe(most)
})

it('refuses a body that is no UTF-8', async () => {
  const body = Uint8Array.from([...new TextEncoder().encode('{"message":"'), 0xff, 0x22, 0x7d])
  const response = await createChatHandler(openStore(), { model: parrot() })(
    new Request('http://localhost/api/agents/main/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
  )
  expect([response.status, await response.json()]).toMatchObject([400, { error: { name: 'InvalidInput' } }])
})

it('serves two tabs on one database at once, and no message is lost or in two sessions', async () => {
  const indexedDB = new IDBFactory()
  const open = async () => createSessionStore(await openIndexedDbBackend({ name: 'tabs', indexedDB, IDBKeyRange }))
  const stores = [await open(), await open()]
  const handles = stores.map((store) => createChatHandler(store, { model: parrot() }))
  const runs = Array.from({ length: 12 }, (_, n) =>
    ask(handles[n % 2]!, { message: `shared ${n}`, sessionId: 's' }).then(() => undefined),
  )
  const fresh = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(handles[n % 2]!, { message: `fresh ${n}` })))
  await Promise.all(runs)
  const keys = fresh.map((events) => (events.at(-1) as { sessionId: string }).sessionId)
  expect(new Set(keys).size).toBe(8)
  for (const [n, key] of keys.entries())
    expect((await stores[1]!.getHistory(key)).map(({ content }) => content)).toEqual([`fresh ${n}`, `re: fresh ${n}`])
  const shared = await stores[0]!.getHistory('s')
  expect(shared.flatMap(({ role, content }) => (role === 'user' ? content : [])).sort()).toEqual(
    Array.from({ length: 12 }, (_, n) => `shared ${n}`).sort(),
  )
  // Without Web Locks two messages may stand there before either is answered.
  expect(shared.filter(({ role }) => role === 'assistant')).toHaveLength(12)
  for (const store of stores) await store.close()
})

it('gives an id that two agents want at once to one of them', async () => {
  const indexedDB = new IDBFactory()
  const open = async () => createSessionStore(await openIndexedDbBackend({ name: 'agents', indexedDB, IDBKeyRange }))
  const stores = [await open(), await open()]
  const handles = stores.map((store) => createChatHandler(store, { model: parrot() }))
  for (let round = 0; round < 10; round++) {
    const sessionId = `s${round}`
    const responses = await Promise.all(
      ['ann', 'ben'].map((agent, n) => handles[n]!(messageRequest({ message: `from ${agent}`, sessionId }, { agent }))),
    )
    for (const response of responses) await response.text()
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
    const winner = responses[0]!.status === 200 ? 'ann' : 'ben'
    expect(await stores[0]!.getMeta(sessionId)).toMatchObject({ agentId: winner })
    expect((await stores[0]!.getHistory(sessionId)).map(({ content }) => content)).toEqual([
      `from ${winner}`,
      `re: from ${winner}`,
    ])
  }
  for (const store of stores) await store.close()
})
