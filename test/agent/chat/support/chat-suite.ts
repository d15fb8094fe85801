import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChatEvent, chatEvents } from '../../../../src/chat.ts'

/** Where a chat is served, with what `scriptedOptions` gives. */
export interface ChatPlace {
  /** Like `fetch`, for paths of the place. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Takes all sessions away. */
  reset(): Promise<void>
}

type Json = Readonly<Record<string, unknown>>

/** A data URI of so many bytes. */
const imageOf = (bytes: number): string =>
  `data:image/png;base64,${'A'.repeat(Math.floor(bytes / 3) * 4)}${['', 'AA==', 'AAA='][bytes % 3]}`

/** What a chat API does, wherever it is served. Nothing but requests and responses is looked at. */
export function chatSuite(where: string, open: () => Promise<ChatPlace>): void {
  describe(`a chat served ${where}`, () => {
    let place: ChatPlace
    beforeAll(async () => {
      place = await open()
    })
    beforeEach(() => place.reset())

    const post = (
      body: unknown,
      agent = 'bot',
      headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
    ): Promise<Response> =>
      place.fetch(`/api/agents/${agent}/chat`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const eventsOf = async (response: Response): Promise<ChatEvent[]> => {
      const events: ChatEvent[] = []
      for await (const event of chatEvents(response)) events.push(event)
      return events
    }
    const chat = async (message: string, more: Json = {}, agent?: string): Promise<ChatEvent[]> =>
      eventsOf(await post({ message, ...more }, agent))
    const textOf = (events: readonly ChatEvent[]): string =>
      events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
    const idOf = (events: readonly ChatEvent[]): string =>
      (events.at(-1) as Extract<ChatEvent, { type: 'done' }>).sessionId
    const report = async (
      more: Json,
      agent?: string,
    ): Promise<Json & { readonly messages: readonly Json[]; readonly system: string }> =>
      JSON.parse(textOf(await chat('report', more, agent)))
    const get = async (path: string): Promise<Json> => (await place.fetch(path)).json() as Promise<Json>
    const session = async (id: string, agent = 'bot'): Promise<Json & { readonly messages: readonly Json[] }> =>
      (await get(`/api/agents/${agent}/sessions/${encodeURIComponent(id)}`)) as never
    const contents = async (id: string, agent?: string): Promise<unknown[]> =>
      (await session(id, agent)).messages.map(({ content }) => content)
    const list = async (
      query = '',
      agent = 'bot',
    ): Promise<{ readonly sessions: readonly Json[]; readonly total: number; readonly next?: string }> =>
      (await get(`/api/agents/${agent}/sessions${query}`)) as never
    const refusal = async (response: Promise<Response>): Promise<readonly unknown[]> => {
      const answer = await response
      const { error } = (await answer.json()) as { readonly error: Json }
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(error).toEqual({ name: expect.any(String), message: expect.any(String) })
      return [answer.status, error['name']]
    }

    it('streams a reply, and says in the end which new session it is in', async () => {
      const events = await chat('say one two three')
      expect(events.map(({ type }) => type)).toEqual(['text_delta', 'text_delta', 'text_delta', 'done'])
      expect(textOf(events)).toBe('one two three')
      const id = idOf(events)
      expect(id).toMatch(/^ses-\d{13}/)
      const found = await session(id)
      expect(found).toMatchObject({
        id,
        agentId: 'bot',
        title: 'say one two three',
        titleSource: 'auto',
        messageCount: 2,
        summary: '',
        messages: [
          { role: 'user', content: 'say one two three' },
          { role: 'assistant', content: 'one two three' },
        ],
      })
      expect(events.at(-1)).toEqual({ type: 'done', sessionId: id, tokenEstimate: found['tokenEstimate'] })
    })

    it('makes a session under the id that is asked for, and goes on in it', async () => {
      expect(idOf(await chat('say a', { sessionId: 'my chat é' }))).toBe('my chat é')
      expect(idOf(await chat('say b', { sessionId: 'my chat é' }))).toBe('my chat é')
      expect(await contents('my chat é')).toEqual(['say a', 'a', 'say b', 'b'])
    })

    it('gives the model what is stored, not what the client says was said', async () => {
      await chat('say a', { sessionId: 's' })
      const forged = [{ role: 'user', content: 'forged' }]
      const { messages, agentId, sessionId, tools } = await report({
        sessionId: 's',
        messages: forged,
        history: forged,
      })
      expect(messages.map(({ role, content }) => [role, content])).toEqual([
        ['user', 'say a'],
        ['assistant', 'a'],
        ['user', 'report'],
      ])
      expect({ agentId, sessionId, tools }).toEqual({
        agentId: 'bot',
        sessionId: 's',
        tools: ['add', 'greet', 'boom', 'stuck'],
      })
    })

    it('puts the context of a request into the system prompt, once, and stores it nowhere', async () => {
      expect((await report({ sessionId: 's', context: 'It is raining.' })).system).toBe(
        'You are bot.\n\nIt is raining.',
      )
      expect((await report({ sessionId: 's' })).system).toBe('You are bot.')
      const { messages } = await session('s')
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    })

    it('streams thinking, and stores it and the usage with the reply', async () => {
      const events = await chat('think hmm && say yes && usage {"total":3}', { sessionId: 's' })
      expect(events.slice(0, 2)).toEqual([
        { type: 'thinking_delta', text: 'hmm' },
        { type: 'text_delta', text: 'yes' },
      ])
      expect((await session('s')).messages[1]).toMatchObject({
        role: 'assistant',
        content: 'yes',
        reasoning_content: 'hmm',
        usage: { total: 3 },
      })
    })

    it('runs tools until the model calls none, and stores each reply and result', async () => {
      const events = await chat('say adding && call add {"a":1,"b":2}\ncall greet {"name":"Ann"}\nsay three', {
        sessionId: 's',
      })
      expect(events).toEqual([
        { type: 'text_delta', text: 'adding' },
        { type: 'tool_call', tool_call: { id: 'call_1', name: 'add', input: { a: 1, b: 2 } } },
        { type: 'tool_result', text: '{"sum":3}', tool_call_id: 'call_1' },
        { type: 'tool_call', tool_call: { id: 'call_1', name: 'greet', input: { name: 'Ann' } } },
        { type: 'tool_result', text: 'Hello Ann from bot in s', tool_call_id: 'call_1' },
        { type: 'text_delta', text: 'three' },
        { type: 'done', sessionId: 's', tokenEstimate: expect.any(Number) },
      ])
      const { messages } = await session('s')
      expect(messages.map(({ role, content }) => [role, content]).slice(1)).toEqual([
        ['assistant', 'adding'],
        ['tool', '{"sum":3}'],
        ['assistant', ''],
        ['tool', 'Hello Ann from bot in s'],
        ['assistant', 'three'],
      ])
      const seen = (await report({ sessionId: 's' })).messages
      expect(seen.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'tool',
        'assistant',
        'user',
      ])
    })

    it('runs all tools of one reply, each under an id of its own', async () => {
      const events = await chat('call add {"a":1,"b":2} && call add {"a":3,"b":4}', { sessionId: 's' })
      const results = events.filter((event) => event.type === 'tool_result')
      expect(results.map(({ text }) => text)).toEqual(['{"sum":3}', '{"sum":7}'])
      expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(2)
      const seen = (await report({ sessionId: 's' })).messages
      expect(seen.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user'])
    })

    it.each([
      ['boom {}', 'Error: it broke'],
      ['nothing {}', 'Error: There is no tool "nothing".'],
      ['add {"a":', expect.stringMatching(/^Error: The arguments are not JSON/)],
      ['add [1]', 'Error: The arguments must be a JSON object.'],
    ])('tells the model what went wrong with the call %s', async (call, text) => {
      const events = await chat(`call ${call}\nsay I see`, { sessionId: 's' })
      expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({ text })
      expect(textOf(events)).toBe('I see')
    })

    it('stops a model that never stops calling tools', async () => {
      const events = await chat(Array.from({ length: 9 }, (_, i) => `call add {"a":${i},"b":0}`).join('\n'), {
        sessionId: 's',
      })
      expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(4)
      expect(events.slice(-2)).toMatchObject([
        { type: 'error', name: 'StepLimit' },
        { type: 'done', sessionId: 's' },
      ])
    })

    it('says what failed, then that it is done, and keeps the message and what was said', async () => {
      const events = await chat('say half && fail no more credit', { sessionId: 's' })
      expect(events).toEqual([
        { type: 'text_delta', text: 'half' },
        { type: 'error', error: 'no more credit', name: 'Error' },
        { type: 'done', sessionId: 's', tokenEstimate: expect.any(Number) },
      ])
      expect((await session('s')).messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: 'half', interrupted: true },
      ])
    })

    it('keeps no reply of a model that says nothing', async () => {
      expect((await chat('think about nothing', { sessionId: 's' })).map(({ type }) => type)).toEqual([
        'thinking_delta',
        'done',
      ])
      expect((await session('s')).messages.map(({ role }) => role)).toEqual(['user'])
    })

    it('keeps what was said when the client goes away, and goes on with the next message', async () => {
      const response = await post({ message: 'say half && hang', sessionId: 's' })
      for await (const event of chatEvents(response)) if (event.type === 'text_delta') break
      await expect
        .poll(() => session('s'), { timeout: 20_000 })
        .toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant', content: 'half', interrupted: true }] })
      expect(textOf(await chat('say whole', { sessionId: 's' }))).toBe('whole')
    })

    it('ends a tool when the client goes away', async () => {
      const response = await post({ message: 'call stuck {}', sessionId: 's' })
      for await (const event of chatEvents(response)) if (event.type === 'tool_call') break
      expect(textOf(await chat('say on', { sessionId: 's' }))).toBe('on')
      const seen = (await report({ sessionId: 's' })).messages
      expect(seen.map(({ role }) => role)).not.toContain('tool')
    })

    it('stores images with the message, and gives them to the model', async () => {
      const image = 'data:image/png;base64,iVBORw0KGgo='
      const { images, messages } = await report({ sessionId: 's', images: [image] })
      const content = [
        { type: 'text', text: 'report' },
        { type: 'image_url', image_url: { url: image } },
      ]
      expect({ images, messages }).toEqual({
        images: [image],
        messages: [expect.objectContaining({ role: 'user', content })],
      })
      expect(textOf(await chat('', { sessionId: 'p', images: [image] }))).toBe('nice picture')
      expect((await list()).sessions.map(({ preview }) => preview)).toEqual(['[image]', 'report'])
    })

    it('gives the model a large image', async () => {
      const image = imageOf(400_000)
      const response = await post({ message: 'report', sessionId: 's', images: [image] })
      expect(response.status).toBe(200)
      const { messages } = JSON.parse(textOf(await eventsOf(response))) as { readonly messages: readonly Json[] }
      expect(messages).toMatchObject([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'report' },
            { type: 'image_url', image_url: { url: image } },
          ],
        },
      ])
    })

    it('keeps a conversation in view while photos come in it', async () => {
      for (let n = 0; n < 4; n++) await chat(`say ${n}`, { sessionId: 's', images: [imageOf(150_000)] })
      const { system, messages } = await report({ sessionId: 's' })
      expect(system).toBe('You are bot.')
      expect(
        messages.map(({ role, content }) =>
          role === 'user' && typeof content !== 'string' ? (content as readonly Json[])[0]?.['text'] : content,
        ),
      ).toEqual(['say 0', '0', 'say 1', '1', 'say 2', '2', 'say 3', '3', 'report'])
    })

    it('keeps sessions of an agent from the others', async () => {
      const id = idOf(await chat('say secret', {}, 'alice'))
      const path = `/api/agents/bob/sessions/${id}`
      const json = { 'content-type': 'application/json' }
      expect(await refusal(place.fetch(path))).toEqual([404, 'SessionNotFound'])
      expect(await refusal(place.fetch(path, { method: 'DELETE' }))).toEqual([404, 'SessionNotFound'])
      expect(await refusal(place.fetch(path, { method: 'PATCH', headers: json, body: '{"title":"mine"}' }))).toEqual([
        404,
        'SessionNotFound',
      ])
      expect(await refusal(post({ message: 'report', sessionId: id }, 'bob'))).toEqual([404, 'SessionNotFound'])
      expect(await refusal(place.fetch(`/api/sessions/${id}`))).toEqual([404, 'SessionNotFound'])
      expect((await list('', 'bob')).total).toBe(0)
      expect((await get('/api/sessions'))['total']).toBe(0)
      expect(await contents(id, 'alice')).toEqual(['say secret', 'secret'])
    })

    it('keeps a deleted session from the others, too', async () => {
      await chat('say secret', { sessionId: 's' }, 'alice')
      await place.fetch('/api/agents/alice/sessions/s', { method: 'DELETE' })
      expect(await refusal(post({ message: 'report', sessionId: 's' }, 'bob'))).toEqual([404, 'SessionNotFound'])
    })

    it('lets no agent begin what is another one’s by its name', async () => {
      expect(await refusal(post({ message: 'say hi', sessionId: 'agent:other:main' }))).toEqual([
        404,
        'SessionNotFound',
      ])
      expect(idOf(await chat('say hi', { sessionId: 'agent:bot:direct:1' }))).toBe('agent:bot:direct:1')
    })

    it('serves the sessions of agent main without its name', async () => {
      await chat('say hi', { sessionId: 's' }, 'main')
      expect(await get('/api/sessions')).toMatchObject({ total: 1, sessions: [{ id: 's', agentId: 'main' }] })
      expect(await get('/api/sessions/s')).toMatchObject({
        id: 's',
        messages: [{ content: 'say hi' }, { content: 'hi' }],
      })
    })

    it('lists sessions newest first, in pages that neither skip nor repeat', async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await chat(`say ${id}`, { sessionId: id })
      await chat('say again', { sessionId: 'b' })
      const ids = ({ sessions }: { readonly sessions: readonly Json[] }) => sessions.map(({ id }) => id)
      const all = await list()
      expect(ids(all)).toEqual(['b', 'e', 'd', 'c', 'a'])
      expect(all).toMatchObject({
        total: 5,
        sessions: [
          { id: 'b', agentId: 'bot', title: 'say b', titleSource: 'auto', preview: 'say b', messageCount: 4 },
          {},
          {},
          {},
          {},
        ],
      })
      expect(all.next).toBeUndefined()
      expect(ids(await list('?limit=2&offset=1'))).toEqual(['e', 'd'])
      expect(ids(await list('?offset=9'))).toEqual([])
      const first = await list('?limit=2')
      await chat('say later', { sessionId: 'a' })
      const second = await list(`?limit=2&cursor=${first.next}`)
      expect([ids(first), ids(second), second.next]).toEqual([['b', 'e'], ['d', 'c'], undefined])
      const { createdAt, lastAt, tokenEstimate } = all.sessions[0] as {
        createdAt: number
        lastAt: number
        tokenEstimate: number
      }
      expect(lastAt).toBeGreaterThanOrEqual(createdAt)
      expect(tokenEstimate).toBeGreaterThan(0)
    })

    it('shows the first 60 characters of the first message', async () => {
      await chat(`  ${'😀'.repeat(61)}`, { sessionId: 'long' })
      await chat(`  ${'😀'.repeat(60)}  `, { sessionId: 'fits' })
      expect((await list()).sessions.map(({ preview }) => preview)).toEqual(['😀'.repeat(60), `${'😀'.repeat(60)}…`])
    })

    it.each(['limit=0', 'limit=x', 'limit=-1', 'offset=1.5', 'cursor=bm8', 'cursor=%00', 'cursor=W10&offset=0'])(
      'refuses to list with %s',
      async (query) => {
        expect(await refusal(place.fetch(`/api/agents/bot/sessions?${query}`))).toEqual([400, 'InvalidInput'])
      },
    )

    it('names a session as its user does, until that is taken back', async () => {
      await chat('say hi', { sessionId: 's' })
      const patch = async (body: unknown) =>
        place.fetch('/api/agents/bot/sessions/s', {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      expect(await (await patch({ title: 'Trip' })).json()).toMatchObject({
        id: 's',
        title: 'Trip',
        titleSource: 'user',
        messageCount: 2,
      })
      expect((await list()).sessions).toMatchObject([{ title: 'Trip', titleSource: 'user' }])
      expect(await (await patch({ title: null })).json()).toMatchObject({ title: 'say hi', titleSource: 'auto' })
      for (const body of [{}, { title: 3 }, { title: ' ' }, { title: 'x'.repeat(1025) }, []])
        expect(await refusal(patch(body))).toEqual([400, 'InvalidInput'])
      expect(
        await refusal(
          place.fetch('/api/agents/bot/sessions/none', {
            method: 'PATCH',
            headers: { 'content-type': 'application/json' },
            body: '{"title":"x"}',
          }),
        ),
      ).toEqual([404, 'SessionNotFound'])
    })

    it('finds a better title after the first run, and never instead of the user’s', async () => {
      await chat('say title me', { sessionId: 's' })
      expect((await list()).sessions).toMatchObject([{ title: 'A better title', titleSource: 'auto' }])
    })

    it('deletes a session, and begins anew under its id', async () => {
      await chat('say old', { sessionId: 's' })
      const gone = await place.fetch('/api/agents/bot/sessions/s', { method: 'DELETE' })
      expect([gone.status, await gone.text()]).toEqual([204, ''])
      expect(await refusal(place.fetch('/api/agents/bot/sessions/s', { method: 'DELETE' }))).toEqual([
        404,
        'SessionNotFound',
      ])
      expect(await refusal(place.fetch('/api/agents/bot/sessions/s'))).toEqual([404, 'SessionNotFound'])
      expect((await list()).total).toBe(0)
      const { messages } = await report({ sessionId: 's' })
      expect(messages.map(({ content }) => content)).toEqual(['report'])
      expect((await list()).sessions).toMatchObject([{ id: 's', agentId: 'bot', messageCount: 2 }])
    })

    it('answers HEAD and OPTIONS, and says which methods there are', async () => {
      await chat('say hi', { sessionId: 's' })
      const one = '/api/agents/bot/sessions/s'
      const head = await place.fetch(one, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
        200,
        'application/json; charset=utf-8',
        '',
      ])
      expect((await place.fetch('/api/agents/bot/sessions/none', { method: 'HEAD' })).status).toBe(404)
      const options = await place.fetch(one, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, PATCH, DELETE, OPTIONS'])
      for (const [path, allow] of [
        ['/api/agents/bot/chat', 'POST, OPTIONS'],
        ['/api/sessions', 'GET, HEAD, OPTIONS'],
      ] as const) {
        const response = place.fetch(path, { method: 'PUT', body: '{}' })
        expect(await refusal(response)).toEqual([405, 'MethodNotAllowed'])
        expect((await response).headers.get('allow')).toBe(allow)
      }
    })

    it.each([
      '/api',
      '/api/',
      '/api/agents',
      '/api/agents/bot',
      '/api/agents/bot/other',
      '/api/chat',
      '/api/agents/bot/chat/x',
      '/api/agents/bot/sessions/a/b',
      '/api/agents/nobody/sessions',
      '/api/other',
    ])('has nothing at %s', async (path) => {
      expect(await refusal(place.fetch(path))).toEqual([404, 'NotFound'])
    })

    it.each([
      'a%2Fb',
      'a%2fb',
      'a%5Cb',
      '..%2F..%2Fetc',
      'a..b',
      '%2e%2e%2e',
      'a%00b',
      '%0A',
      '%7F',
      '%C2%85',
      '%20',
      '',
      '%',
      '%zz',
      '%ff',
      '%ed%a0%80',
      'x'.repeat(257),
    ])('refuses the id %s in a path', async (id) => {
      expect(await refusal(place.fetch(`/api/agents/bot/sessions/${id}`))).toEqual([400, 'InvalidPathComponent'])
      expect(await refusal(place.fetch(`/api/agents/${id}/sessions`))).toEqual([400, 'InvalidPathComponent'])
    })

    it.each(['', ' ', '.', '..', 'a/b', '\\', 'a\u0000', 'x'.repeat(257), '\ud800'])(
      'refuses the id %j in a body, and writes nothing',
      async (sessionId) => {
        expect(await refusal(post({ message: 'say hi', sessionId }))).toEqual([400, 'InvalidPathComponent'])
        expect((await list()).total).toBe(0)
      },
    )

    it('takes ids of any other characters, encoded once', async () => {
      for (const id of ['a%2Fb', 'é😀', 'a b?c#d&e', '%2e%2e', 'x'.repeat(256), 'ses:1', '-']) {
        expect(idOf(await chat('say hi', { sessionId: id }))).toBe(id)
        expect(await contents(id)).toEqual(['say hi', 'hi'])
      }
    })

    it.each<[string, unknown, number, string]>([
      ['no JSON', '{', 400, 'InvalidInput'],
      ['nothing', '', 400, 'InvalidInput'],
      ['a list', '[]', 400, 'InvalidInput'],
      ['no message', {}, 400, 'InvalidInput'],
      ['a blank message', { message: ' \n' }, 400, 'InvalidInput'],
      ['a message that is no text', { message: { role: 'system' } }, 400, 'InvalidInput'],
      ['a context that is no text', { message: 'x', context: ['y'] }, 400, 'InvalidInput'],
      ['an id that is no text', { message: 'x', sessionId: 7 }, 400, 'InvalidInput'],
      ['images that are no list', { message: 'x', images: 'data:image/png;base64,AAAA' }, 400, 'InvalidInput'],
      ['an image from elsewhere', { message: 'x', images: ['https://example.com/a.png'] }, 400, 'InvalidInput'],
      ['an image with scripts', { message: 'x', images: ['data:image/svg+xml;base64,AAAA'] }, 400, 'InvalidInput'],
      ['an image that is no base64', { message: 'x', images: ['data:image/png;base64,!!!!'] }, 400, 'InvalidInput'],
      ['an image that broke off', { message: 'x', images: ['data:image/png;base64,AAAAA'] }, 400, 'InvalidInput'],
      [
        'too many images',
        { message: 'x', images: Array.from({ length: 17 }, () => 'data:image/png;base64,AAAA') },
        400,
        'InvalidInput',
      ],
      ['too large an image', { message: 'x', images: [imageOf(500_001)] }, 413, 'TooLarge'],
      ['too large a body', { message: 'x'.repeat(700_000) }, 413, 'TooLarge'],
    ])('refuses a body with %s, and writes nothing', async (_, body, status, name) => {
      expect(await refusal(post(body))).toEqual([status, name])
      expect((await list()).total).toBe(0)
    })

    it('takes JSON only, so that no page of another origin can write', async () => {
      expect(await refusal(post({ message: 'x' }, 'bot', { 'content-type': 'text/plain' }))).toEqual([
        415,
        'UnsupportedMediaType',
      ])
      expect(
        textOf(
          await eventsOf(
            await post({ message: 'say x' }, 'bot', { 'content-type': 'Application/JSON; charset=utf-8' }),
          ),
        ),
      ).toBe('x')
    })

    it('answers the messages of one session one after the other, those of others meanwhile', async () => {
      const first = await post({ message: 'hold one && say first', sessionId: 's' })
      const second = chat('say second', { sessionId: 's' })
      expect(textOf(await chat('say else', { sessionId: 't' }))).toBe('else')
      expect(await contents('s')).toEqual(['hold one && say first'])
      await chat('open one && say opened', { sessionId: 't' })
      expect([textOf(await eventsOf(first)), textOf(await second)]).toEqual(['first', 'second'])
      expect(await contents('s')).toEqual(['hold one && say first', 'first', 'say second', 'second'])
    })

    it('begins anew with a message that waited while its session was deleted', async () => {
      const first = await post({ message: 'hold three && say first', sessionId: 's' })
      const second = chat('say second', { sessionId: 's' })
      await place.fetch('/api/agents/bot/sessions/s', { method: 'DELETE' })
      await chat('open three', { sessionId: 't' })
      expect((await eventsOf(first)).slice(-2)).toMatchObject([
        { type: 'error', name: 'SessionNotFound' },
        { type: 'done' },
      ])
      expect(textOf(await second)).toBe('second')
      expect(await contents('s')).toEqual(['say second', 'second'])
    })

    it('lets eight messages of a session wait, and refuses the ninth', async () => {
      const first = await post({ message: 'hold two && say go', sessionId: 's' })
      const settled: number[] = []
      const others = Array.from({ length: 9 }, async (_, i) => {
        const response = await post({ message: `say ${i}`, sessionId: 's' })
        settled.push(response.status)
        return response
      })
      await expect.poll(() => settled).toEqual([429])
      await chat('open two', { sessionId: 't' })
      await eventsOf(first)
      const answers = await Promise.all(others)
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 8 }, () => 200), 429])
      for (const answer of answers) await answer.text()
      expect(await session('s')).toMatchObject({ messageCount: 18 })
    })

    it('compacts a long session after a run, and still shows all of it', async () => {
      const padding = 'x'.repeat(300)
      for (let i = 0; i < 22; i++) await chat(`say ${i} ${padding}`, { sessionId: 's' })
      const { system, messages } = await report({ sessionId: 's' })
      expect(system).toMatch(/^You are bot\.\n\n[^]*SUMMARY of \d/)
      expect(messages[0]).toMatchObject({ role: 'user' })
      expect(messages.length).toBeLessThan(44)
      const whole = await session('s')
      expect(whole).toMatchObject({ summary: expect.stringContaining('SUMMARY'), messageCount: 46 })
      expect(whole.messages).toHaveLength(46)
      expect(whole.messages[0]).toMatchObject({ content: `say 0 ${padding}` })
    })

    it('makes the context smaller when the model refuses it, and asks again', async () => {
      await chat('say a', { sessionId: 's' })
      await chat('say b', { sessionId: 's' })
      const events = await chat('refuse && say now', { sessionId: 's' })
      expect(events.map(({ type }) => type)).toEqual(['text_delta', 'done'])
      expect(await contents('s')).toEqual(['say a', 'a', 'say b', 'b', 'refuse && say now', 'now'])
    })

    it('says so when the model refuses what can’t be made smaller', async () => {
      const events = await chat('refuse', { sessionId: 's' })
      expect(events).toMatchObject([{ type: 'error', error: 'too many tokens' }, { type: 'done' }])
    })
  })
}
