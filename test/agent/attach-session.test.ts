import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { ChatRequest } from '../../src/dialects/agently/attach/attach-types.ts'
import { attachSession } from '../../src/dialects/agently/attach-session.ts'
import { createMemoManager } from '../../src/dialects/agently/create-memo-manager.ts'
import { createMemoSession } from '../../src/dialects/agently/create-memo-session.ts'
import { detachSession } from '../../src/dialects/agently/detach-session.ts'
import { enableQuickSession } from '../../src/dialects/agently/enable-quick-session.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { assistant, refuses, textOf, user } from '../../src/testing/helpers.ts'
import { createProfile } from '../client/support/open-port-client.ts'
import { memoryStore } from './support/memory-store.ts'

/** A model that says how many messages it got, and what it was asked. */
function counter(): { readonly asked: (readonly Message[])[]; readonly chat: (request: ChatRequest) => string } {
  const asked: (readonly Message[])[] = []
  return { asked, chat: ({ messages }) => (asked.push(messages), `${messages.length} messages`) }
}
const kept = async (store: SessionStore, key = 's'): Promise<readonly Message[]> =>
  (await store.read(key)).entries.flatMap(({ message }) => message ?? [])
const hello = { messages: [user('hello')] }

async function* pieces<Piece>(...all: Piece[]): AsyncGenerator<Piece> {
  for (const piece of all) yield piece
}
function streamOf(...all: string[]): ReadableStream<string> {
  return new ReadableStream({
    start: (controller) => {
      for (const piece of all) controller.enqueue(piece)
      controller.close()
    },
  })
}
async function read<Piece>(stream: AsyncIterable<Piece>): Promise<Piece[]> {
  const all: Piece[] = []
  for await (const piece of stream) all.push(piece)
  return all
}

describe('an attached chat', () => {
  it('goes on where the session was, and keeps what is said', async () => {
    const store = memoryStore()
    const { asked, chat } = counter()
    const attached = attachSession(chat, { store, key: 's' })
    expect([await attached(hello), await attached({ messages: [user('again')] })]).toEqual(['1 messages', '3 messages'])
    expect(asked).toEqual([[user('hello')], [user('hello'), assistant('1 messages'), user('again')]])
    expect(await kept(store)).toEqual([user('hello'), assistant('1 messages'), user('again'), assistant('3 messages')])
  })

  it('gets the current view of a memo session, which is resized after each request', async () => {
    const store = memoryStore()
    const { asked, chat } = counter()
    const session = await createMemoSession({ store, key: 's' }).setLimit({ messages: 2 })
    const attached = attachSession(chat, session)
    for (const text of ['one', 'two', 'three']) {
      await attached({ messages: [user(text)] })
      await attached.settled()
    }
    expect(asked.map((messages) => messages.map(textOf))).toEqual([
      ['one'],
      ['one', '1 messages', 'two'],
      ['two', '3 messages', 'three'],
    ])
    expect([await kept(store), (await session.currentHistory()).map(textOf), attached.session]).toMatchObject([
      { length: 6 },
      ['three', '3 messages'],
      session,
    ])
  })

  it('passes on whatever else a request has, and gives the reply as it is', async () => {
    const reply = { role: 'assistant', content: 'hi', usage: { tokens: 3 } }
    const store = memoryStore()
    const attached = attachSession(
      async (request: ChatRequest & { readonly temperature: number }) => (expect(request.temperature).toBe(0.5), reply),
      { store, key: 's' },
    )
    expect(await attached({ ...hello, temperature: 0.5 })).toBe(reply)
    expect(await kept(store)).toEqual([user('hello'), reply])
  })

  it('tells the memo when asked to, without what a resize noted in it', async () => {
    const store = memoryStore()
    await store.updateMeta('s', { memo: { likes: 'tea', last_resize: { type: 'lite' } } })
    const { asked, chat } = counter()
    await attachSession(chat, createMemoSession({ store, key: 's' }))(hello)
    await attachSession(chat, { store, key: 's' }, { context: { memo: true } })(hello)
    expect(asked[0]).toEqual([user('hello')])
    expect(asked[1]![0]).toMatchObject({ role: 'system', content: expect.stringMatching(/"likes":"tea"/) })
    expect(textOf(asked[1]![0])).not.toContain('last_resize')
  })

  it('leaves system messages in front, and keeps none of them', async () => {
    const store = memoryStore()
    const { asked, chat } = counter()
    const attached = attachSession(chat, { store, key: 's' })
    await attached(hello)
    await attached({ messages: [{ role: 'system', content: 'be brief' }, user('again')] })
    expect(asked[1]!.map(textOf)).toEqual(['be brief', 'hello', '1 messages', 'again'])
    expect((await kept(store)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  it('sends the result of a tool behind its call', async () => {
    const store = memoryStore()
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } }],
    }
    const result = { role: 'tool', tool_call_id: 'c1', content: 'noon' }
    const asked: (readonly Message[])[] = []
    const attached = attachSession(
      ({ messages }: ChatRequest) => (asked.push(messages), asked.length === 1 ? call : 'It is noon.'),
      { store, key: 's' },
    )
    await attached(hello)
    await attached({ messages: [result] })
    expect(asked[1]).toEqual([user('hello'), call, result])
    expect(await kept(store)).toEqual([user('hello'), call, result, assistant('It is noon.')])
  })

  it('leaves out the oldest turns where all of it, the request too, would not fit', async () => {
    const store = memoryStore()
    const { asked, chat } = counter()
    const attached = attachSession(chat, { store, key: 's' }, { context: { maxTokens: 5, countTokens: () => 1 } })
    for (const text of ['one', 'two', 'three', 'four']) await attached({ messages: [user(text)] })
    expect(asked.map((messages) => messages.map(textOf))).toEqual([
      ['one'],
      ['one', '1 messages', 'two'],
      ['one', '1 messages', 'two', '3 messages', 'three'],
      ['two', '3 messages', 'three', '5 messages', 'four'],
    ])
  })

  it('stores the question before the model is asked', async () => {
    const store = memoryStore()
    let seen: unknown
    await attachSession(async () => (seen = await kept(store)), { store, key: 's' })(hello)
    expect(seen).toEqual([user('hello')])
  })

  it('keeps the question when the model fails', async () => {
    for (const fail of [
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('down')
      },
    ]) {
      const store = memoryStore()
      await expect(attachSession(fail, { store, key: 's' })(hello)).rejects.toThrow('down')
      expect(await kept(store)).toEqual([user('hello')])
    }
  })

  it.each<[string, unknown, readonly Message[]]>([
    ['nothing', undefined, []],
    ['an empty text', '', []],
    ['a message', { role: 'assistant', content: 'hi' }, [assistant('hi')]],
    ['messages', [assistant('a'), user('b')], [assistant('a'), user('b')]],
    ['any other value, as JSON', { answer: 42 }, [assistant('{"answer":42}')]],
  ])('keeps of a reply that is %s', async (_, reply, messages) => {
    const store = memoryStore()
    await attachSession(() => reply, { store, key: 's' })(hello)
    expect(await kept(store)).toEqual([user('hello'), ...messages])
  })

  it('is asked with messages', async () => {
    const attached = attachSession(() => 'x', { store: memoryStore(), key: 's' })
    for (const request of [undefined, {}, 'hello', { messages: 'hello' }])
      await refuses(attached(request as never), 'InvalidInput')
  })

  it('never brings back a session that was deleted meanwhile', async () => {
    const store = memoryStore()
    const attached = attachSession(async () => (await store.delete('s'), 'too late'), { store, key: 's' })
    expect(await attached(hello)).toBe('too late')
    await refuses(attached.settled(), 'SessionNotFound')
    expect((await store.listSessions()).total).toBe(0)
  })

  it('stands in front of a handle, too, streamed or not', async () => {
    const client = await createProfile().open({ name: 'attached' })
    const session = await client.session('k')
    const place = { store: client.store, session }
    await attachSession(() => 'hi', place)(hello)
    await read(await attachSession(() => pieces('a', 'b'), place)(hello))
    expect(await session.messages()).toEqual([user('hello'), assistant('hi'), user('hello'), assistant('ab')])
    await session.delete()
    await refuses(attachSession(() => 'hi', place)(hello), 'SessionNotFound')
    await client.close()
  })

  it('can be detached', () => {
    const { chat } = counter()
    expect(detachSession(attachSession(chat, { store: memoryStore(), key: 's' }))).toBe(chat)
  })

  it('tells of a resize that failed, once, or hands it to the app', async () => {
    const store = memoryStore()
    const session = createMemoSession({ store, key: 's', policyHandler: () => 'none' })
    const attached = attachSession(() => 'hi', session)
    await attached(hello)
    await refuses(attached.settled(), 'HandlerMissing')
    await attached.settled()
    const errors: unknown[] = []
    const other = attachSession(() => 'hi', session, { onError: (error) => errors.push(error) })
    await other(hello)
    await other.settled()
    expect(errors).toMatchObject([{ name: 'HandlerMissing' }])
  })
})

/** A store that can write no more once it is told so, as one whose quota is used up. */
function fullStore(): SessionStore & { isFull: boolean } {
  const store = memoryStore()
  const full = {
    ...store,
    isFull: false,
    append: (...call: Parameters<SessionStore['append']>) =>
      full.isFull ? Promise.reject(new Error('full')) : store.append(...call),
    sealDraft: (...call: Parameters<SessionStore['sealDraft']>) =>
      full.isFull ? Promise.reject(new Error('full')) : store.sealDraft(...call),
  }
  return full
}

describe('a reply that can’t be kept', () => {
  it.each<[string, () => unknown]>([
    ['at once', () => 'paid for'],
    ['streamed', () => pieces('paid ', 'for')],
  ])('is given all the same, %s, and the error told', async (_, chat) => {
    for (const isHanded of [true, false]) {
      const store = fullStore()
      const errors: unknown[] = []
      const attached = attachSession(
        () => ((store.isFull = true), chat()),
        { store, key: 's' },
        isHanded ? { onError: (error) => errors.push(error) } : {},
      )
      const reply = await attached(hello)
      expect(typeof reply === 'string' ? reply : (await read(reply as AsyncIterable<string>)).join('')).toBe('paid for')
      if (isHanded) expect(errors).toMatchObject([{ message: 'full' }])
      else await expect(attached.settled()).rejects.toThrow('full')
    }
  })

  it('because the record handler fails is given, too', async () => {
    const attached = attachSession(
      () => 'paid for',
      { store: memoryStore(), key: 's' },
      {
        recordHandler: () => {
          throw new Error('bad handler')
        },
      },
    )
    expect(await attached(hello)).toBe('paid for')
    await expect(attached.settled()).rejects.toThrow('bad handler')
  })
})

describe('requests at once', () => {
  it('are answered one after the other, whoever attached the session', async () => {
    const store = memoryStore()
    const { asked, chat } = counter()
    const slow = async (request: ChatRequest) => (await new Promise((resolve) => setTimeout(resolve)), chat(request))
    const [one, other] = [attachSession(slow, { store, key: 's' }), attachSession(slow, { store, key: 's' })]
    await Promise.all([
      one({ messages: [user('A')] }),
      one({ messages: [user('B')] }),
      other({ messages: [user('C')] }),
    ])
    expect(asked.map((messages) => messages.map(textOf))).toEqual([
      ['A'],
      ['A', '1 messages', 'B'],
      ['A', '1 messages', 'B', '3 messages', 'C'],
    ])
  })

  it('go on after one that failed, and one that gave up waiting is never asked', async () => {
    const asked: string[] = []
    const attached = attachSession(
      async ({ messages }: ChatRequest & { readonly signal?: AbortSignal }) => {
        asked.push(textOf(messages.at(-1)))
        await new Promise((resolve) => setTimeout(resolve))
        if (asked.length === 1) throw new Error('down')
        return 'hi'
      },
      { store: memoryStore(), key: 's' },
    )
    const ending = new AbortController()
    const calls = [
      attached({ messages: [user('A')] }),
      attached({ messages: [user('B')], signal: ending.signal }),
      attached({ messages: [user('C')] }),
    ]
    ending.abort()
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(asked).toEqual(['A', 'C'])
  })

  it('do not wait for a stream that nobody reads', async () => {
    const attached = attachSession(() => pieces('x'), { store: memoryStore(), key: 's' })
    expect(await Promise.all([attached(hello), attached(hello)])).toHaveLength(2)
  })
})

describe('a streamed reply', () => {
  it('is handed on piece by piece, and kept whole', async () => {
    const store = memoryStore()
    const attached = attachSession(() => pieces('one ', 'two'), { store, key: 's' })
    expect(await read(await attached(hello))).toEqual(['one ', 'two'])
    expect([await kept(store), await store.listDrafts('s')]).toEqual([[user('hello'), assistant('one two')], []])
  })

  it('comes as it is made', async () => {
    const order: string[] = []
    async function* chat() {
      for (const piece of ['a', 'b']) {
        order.push(`makes ${piece}`)
        yield piece
      }
    }
    for await (const piece of await attachSession(chat, { store: memoryStore(), key: 's' })(hello))
      order.push(`reads ${piece}`)
    expect(order).toEqual(['makes a', 'reads a', 'makes b', 'reads b'])
  })

  it('may be of bytes or objects', async () => {
    const store = memoryStore()
    const bytes = new TextEncoder().encode('grüß')
    await read(
      await attachSession(
        () =>
          pieces<unknown>(bytes.slice(0, 3), bytes.slice(3), { type: 'text-delta', delta: '!' }, { type: 'finish' }),
        { store, key: 's' },
      )(hello),
    )
    expect(await kept(store)).toEqual([user('hello'), assistant('grüß!')])
  })

  it('is the text of it, without what tools are given and what a model thinks', async () => {
    const store = memoryStore()
    await read(
      await attachSession(
        () =>
          pieces<unknown>(
            { type: 'reasoning-delta', delta: 'hm' },
            { choices: [{ delta: { content: 'O' } }] },
            { delta: { content: 'K' } },
            { type: 'tool-input-delta', delta: '{' },
          ),
        { store, key: 's' },
      )(hello),
    )
    expect(await kept(store)).toEqual([user('hello'), assistant('OK')])
  })

  it('is read by the app’s own function', async () => {
    const store = memoryStore()
    await read(
      await attachSession(
        () => pieces({ choices: 'x' }),
        { store, key: 's' },
        { textOf: (piece) => (piece as { choices: string }).choices },
      )(hello),
    )
    expect(await kept(store)).toEqual([user('hello'), assistant('x')])
  })

  it('may be a ReadableStream', async () => {
    const store = memoryStore()
    const stream = await attachSession(() => streamOf('one ', 'two'), { store, key: 's' })(hello)
    expect(stream).toBeInstanceOf(ReadableStream)
    expect(await read(stream)).toEqual(['one ', 'two'])
    expect(await kept(store)).toEqual([user('hello'), assistant('one two')])
  })

  it('is never asked for ahead of its reader', async () => {
    let asked = 0
    const source = () =>
      new ReadableStream<string>({ pull: (controller) => (asked++, controller.enqueue('more ')) }, { highWaterMark: 0 })
    const reader = (await attachSession(source, { store: memoryStore(), key: 's' })(hello)).getReader()
    await new Promise((resolve) => setTimeout(resolve))
    expect(asked).toBe(0)
    await reader.read()
    expect(asked).toBe(1)
    await reader.cancel()
  })

  it('that the reader leaves is kept as far as it came, marked, and ended', async () => {
    const store = memoryStore()
    let isEnded = false
    async function* chat() {
      try {
        yield 'one '
        yield 'two'
      } finally {
        isEnded = true
      }
    }
    for await (const piece of await attachSession(chat, { store, key: 's' })(hello)) if (piece === 'one ') break
    expect([await kept(store), isEnded]).toEqual([[user('hello'), { ...assistant('one '), interrupted: true }], true])
  })

  it('that is cancelled is kept as far as it came', async () => {
    const store = memoryStore()
    let reason: unknown
    const source = () =>
      new ReadableStream<string>({
        pull: (controller) => controller.enqueue('more '),
        cancel: (why) => void (reason = why ?? 'cancelled'),
      })
    const reader = (await attachSession(source, { store, key: 's' })(hello)).getReader()
    await reader.read()
    await reader.cancel()
    expect([(await kept(store))[1], reason]).toEqual([{ ...assistant('more '), interrupted: true }, 'cancelled'])
  })

  it('that fails is kept as far as it came, and fails for the reader', async () => {
    const store = memoryStore()
    async function* chat() {
      yield 'one '
      throw new Error('cut off')
    }
    const stream = await attachSession(chat, { store, key: 's' })(hello)
    await expect(read(stream)).rejects.toThrow('cut off')
    expect(await kept(store)).toEqual([user('hello'), { ...assistant('one '), interrupted: true }])
  })

  it('that the app can’t read fails for the reader, and its source is ended', async () => {
    let isEnded = false
    async function* chat() {
      try {
        yield 'one'
        yield 'two'
      } finally {
        isEnded = true
      }
    }
    const stream = await attachSession(
      chat,
      { store: memoryStore(), key: 's' },
      {
        textOf: () => {
          throw new Error('unreadable')
        },
      },
    )(hello)
    await expect(read(stream)).rejects.toThrow('unreadable')
    expect(isEnded).toBe(true)
  })

  it('that ends before anything came leaves nothing', async () => {
    const store = memoryStore()
    await read(await attachSession(() => pieces(), { store, key: 's' })(hello))
    expect([await kept(store), await store.listDrafts('s')]).toEqual([[user('hello')], []])
  })

  it('nobody reads leaves the question only', async () => {
    const store = memoryStore()
    await attachSession(() => pieces('x'), { store, key: 's' })(hello)
    expect([await kept(store), await store.listDrafts('s')]).toEqual([[user('hello')], []])
  })
})

describe('what is recorded', () => {
  const request = { messages: [user('long question')], form: { topic: 'tea', tags: ['a', 'b'] } }

  it('are the values at the paths, one a line', async () => {
    const store = memoryStore()
    await attachSession(
      () => ({ answer: { text: 'green' }, score: 1 }),
      { store, key: 's' },
      { record: { input: { paths: ['form.topic', 'form.tags[1]', 'none'] }, output: { paths: ['answer', 'score'] } } },
    )(request)
    expect(await kept(store)).toEqual([user('tea\nb'), assistant('{"text":"green"}\n1')])
  })

  it('is the first value there, by mode first', async () => {
    const store = memoryStore()
    await attachSession(
      () => '{"a":{"b":"green"}}',
      { store, key: 's' },
      { record: { input: { paths: ['none', 'form.topic', 'form.tags'], mode: 'first' }, output: { paths: 'a.b' } } },
    )(request)
    expect(await kept(store)).toEqual([user('tea'), assistant('green')])
  })

  it('is set in a memo session', async () => {
    const store = memoryStore()
    const session = createMemoSession({ store, key: 's' })
    await session.setSettings('session.record.output.paths', ['text'])
    await read(await attachSession(() => pieces('{"text":', '"green"}'), session)(request))
    expect(await kept(store)).toEqual([user('long question'), assistant('green')])
  })

  it('is the whole where the settings make no sense', async () => {
    const store = memoryStore()
    const session = createMemoSession({ store, key: 's' })
    await session.setSettings('session.record', { input: { paths: 5 }, output: { paths: [null] } })
    await attachSession(() => 'green', session)(request)
    expect(await kept(store)).toEqual([user('long question'), assistant('green')])
  })

  it('is the whole where the paths lead to nothing', async () => {
    const store = memoryStore()
    await attachSession(
      () => 'green',
      { store, key: 's' },
      { record: { input: { paths: ['__proto__', 'constructor.name'] }, output: { paths: 'x' } } },
    )(request)
    expect(await kept(store)).toEqual([user('long question'), assistant('green')])
  })

  it('is up to the record handler, where there is one', async () => {
    const store = memoryStore()
    const records: unknown[] = []
    const options = {
      recordHandler: ({ reply, interrupted }: { reply?: unknown; interrupted: boolean }) => (
        records.push([reply, interrupted]),
        reply === undefined ? undefined : [user('q'), assistant(`${String(reply)}!`)]
      ),
    }
    await attachSession(() => 'green', { store, key: 's' }, options)(request)
    await read(await attachSession(() => pieces('bl', 'ue'), { store, key: 's' }, options)(request))
    await expect(
      attachSession(
        () => {
          throw new Error('down')
        },
        { store, key: 's' },
        options,
      )(request),
    ).rejects.toThrow('down')
    expect(records).toEqual([
      ['green', false],
      ['blue', false],
      [undefined, true],
    ])
    expect(await kept(store)).toEqual([user('q'), assistant('green!'), user('q'), assistant('blue!')])
  })
})

describe('the chat history of an attached chat', () => {
  it('can be replaced, added to and emptied', async () => {
    const store = memoryStore()
    const session = await createMemoSession({ store, key: 's' }).setLimit({ messages: 2 })
    const attached = attachSession(() => 'hi', session)
    await attached.setChatHistory([user('a'), assistant('b'), user('c')])
    expect((await session.currentHistory()).map(textOf)).toEqual(['a', 'b', 'c'])
    await attached.addChatHistory(assistant('d'))
    expect((await session.currentHistory()).map(textOf)).toEqual(['c', 'd'])
    await attached.resetChatHistory()
    expect(await session.fullHistory()).toEqual([])
  })

  it('is one of any session', async () => {
    const store = memoryStore()
    const attached = attachSession(() => 'hi', { store, key: 's' })
    await attached.setChatHistory([user('a')])
    await attached.addChatHistory([assistant('b'), user('c')])
    expect((await kept(store)).map(textOf)).toEqual(['a', 'b', 'c'])
  })
})

describe('a quick session', () => {
  it('remembers everything', async () => {
    const store = memoryStore()
    const { asked, chat } = counter()
    const attached = await enableQuickSession(chat, { store, key: 's' })
    for (let i = 0; i < 12; i++) await attached({ messages: [user('x'.repeat(2000))] })
    await attached.settled()
    expect([asked.at(-1)?.length, (await attached.session!.currentHistory()).length]).toEqual([23, 24])
  })

  it('begins with a state, where the store can load one', async () => {
    const client = await openDirectStore({ modes: ['memory'] })
    const { store, files } = client
    const { asked, chat } = counter()
    const state = { full_chat_history: [user('before')], current_chat_history: [user('before')] }
    for (const load of [state, JSON.stringify(state)]) {
      const attached = await enableQuickSession(chat, { store, files, key: 's' }, load)
      await attached(hello)
    }
    expect(asked).toEqual([
      [user('before'), user('hello')],
      [user('before'), user('hello')],
    ])
    await refuses(enableQuickSession(chat, { store, key: 's' }, {}), 'InvalidInput')
    await client.close()
  })

  it('remembers everything also where the state it begins with has limits', async () => {
    const client = await openDirectStore({ modes: ['memory'] })
    const { asked, chat } = counter()
    const load = {
      id: 'x',
      full_chat_history: [user('before')],
      current_chat_history: [user('before')],
      memo: { likes: 'tea' },
      settings: { session: { limit: { messages: 2 }, resize: { max_keep_messages_count: 2, every_n_turns: 1 } } },
    }
    const attached = await enableQuickSession(chat, { store: client.store, files: client.files, key: 's' }, load)
    for (let i = 0; i < 3; i++) {
      await attached({ messages: [user(`u${i}`)] })
      await attached.settled()
    }
    expect([asked.at(-1)!.map(textOf), await attached.session!.memo()]).toEqual([
      ['before', 'u0', '2 messages', 'u1', '4 messages', 'u2'],
      { likes: 'tea' },
    ])
    await client.close()
  })

  it.each([[5], [null], [[1]]])('is not loaded from %j', async (load) => {
    await expect(enableQuickSession(() => 'x', { store: memoryStore(), key: 's' }, load as never)).rejects.toThrow(
      TypeError,
    )
  })
})

describe('a memo manager', () => {
  const parts = { contextWindow: 10_000, maxTokens: 1000 }
  const limits = { session: { limit: { messages: 2 }, resize: { every_n_turns: 0 } } }

  async function managed(count: number, options: Parameters<typeof createMemoManager>[0] = {}) {
    const store = memoryStore()
    for (let i = 0; i < count; i++)
      await store.append('s', [{ type: 'message', message: i % 2 === 0 ? user(`m${i}`) : assistant(`m${i}`) }])
    return { store, manager: await createMemoManager(options)({ store }) }
  }

  it('gives the current view with the memo, and resizes it by policy', async () => {
    const { store, manager } = await managed(4, {
      parentSettings: { session: { ...limits.session, mode: 'memo' } },
      memoUpdateHandler: () => ({ likes: 'tea' }),
    })
    expect((await manager.assemble({ key: 's', ...parts })).messages).toHaveLength(4)
    expect([
      await manager.shrink({ key: 's', reason: 'summarise', ...parts }),
      await manager.shrink({ key: 's', reason: 'summarise', ...parts }),
    ]).toEqual([true, false])
    const { messages, memo } = await manager.assemble({ key: 's', ...parts })
    expect([messages.slice(1), textOf(messages[0]).includes('tea'), memo['likes']]).toEqual([
      [user('m2'), assistant('m3')],
      true,
      'tea',
    ])
    expect(await kept(store)).toHaveLength(4)
  })

  it.each(['proactive-budget', 'model-refused'] as const)(
    'takes away half at least for %s, until one message is left',
    async (reason) => {
      const { store, manager } = await managed(8)
      const lengths: number[] = []
      while (await manager.shrink({ key: 's', reason, ...parts })) lengths.push((await store.getHistory('s')).length)
      expect(lengths).toEqual([4, 2, 1])
    },
  )

  it('leaves the memo to whoever can update it, and prunes all the same', async () => {
    const { store, manager } = await managed(4)
    const session = await createMemoSession({
      store,
      key: 's',
      memoUpdateHandler: ({ messages }) => ({ told: messages.map(textOf) }),
    }).useMemo({ limit: { messages: 2 } })
    expect(await manager.shrink({ key: 's', reason: 'summarise', ...parts })).toBe(true)
    expect((await manager.assemble({ key: 's', ...parts })).messages).toEqual([user('m2'), assistant('m3')])
    await session.resize('lite')
    expect((await session.memo())['told']).toEqual(['m0', 'm1', 'm2', 'm3'])
  })

  it('clears the conversation', async () => {
    const { store, manager } = await managed(4)
    await manager.clear('s')
    await manager.clear('none')
    expect([await kept(store), await store.getMeta('none')]).toEqual([[], undefined])
  })

  it('has room for a history in a small window, too, and a reply that takes all of it is refused', async () => {
    const { store, manager } = await managed(0)
    const { asked, chat } = counter()
    const attached = attachSession(chat, { store, key: 's' }, { manager, contextWindow: 4000 })
    await attached(hello)
    await attached(hello)
    expect(asked[1]!.map(textOf)).toEqual(['hello', '1 messages', 'hello'])
    for (const budget of [{ contextWindow: 4000, maxTokens: 4000 }, { maxTokens: Number.NaN }, { contextWindow: 0 }]) {
      expect(() => attachSession(chat, { store, key: 's' }, { manager, ...budget })).toThrow(
        expect.objectContaining({ name: 'InvalidInput' }),
      )
    }
  })

  it('decides what an attached chat gets', async () => {
    const { store, manager } = await managed(4, { parentSettings: limits })
    const { asked, chat } = counter()
    const attached = attachSession(chat, { store, key: 's' }, { manager, ...parts })
    await attached(hello)
    await attached.settled()
    await attached(hello)
    expect(asked.map((messages) => messages.map(textOf))).toEqual([
      ['m0', 'm1', 'm2', 'm3', 'hello'],
      ['hello', '5 messages', 'hello'],
    ])
  })
})
