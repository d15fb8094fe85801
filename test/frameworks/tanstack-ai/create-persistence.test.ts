import type { StreamChunk } from '@tanstack/ai'
import { ChatClient, type ChatClientPersistence, type UIMessage } from '@tanstack/ai-client'
import { afterEach, describe, expect, it } from 'vitest'
import { createPersistence } from '../../../src/adapters/tanstack-ai/create-persistence.ts'
import type { ThreadClient } from '../../../src/adapters/tanstack-ai/stored-thread.ts'
import type { ThreadPersistence } from '../../../src/adapters/tanstack-ai/thread-types.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { MessageStream } from '../../../src/client/message-stream-types.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'
import { createScriptedConnection, pause, type Script } from './support/scripted-connection.ts'

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const errors: unknown[] = []
afterEach(() => void errors.splice(0))

async function openClient(profile: Profile): Promise<SessionClient> {
  const client = await profile.open({ name: 'chats' })
  closers.push(() => client.close())
  return client
}

const echo = (question: string): Script => ['You ', 'said ', question.includes('two') ? 'two.' : 'one.']

/** A page that shows the thread, after its messages were loaded. */
async function openTab(
  profile: Profile,
  { name = 'a', reply = echo, client }: { name?: string; reply?: typeof echo; client?: ThreadClient } = {},
) {
  const store = await openClient(profile)
  const persistence = createPersistence<UIMessage>(client ?? store, { onError: (error) => void errors.push(error) })
  closers.push(() => persistence.flush().catch(() => undefined))
  const connection = createScriptedConnection(reply)
  const { chat, loaded } = openChat(persistence, connection.connect(name))
  await loaded
  return { client: store, persistence, chat, ...connection }
}

function openChat(
  persistence: ChatClientPersistence,
  connection: ReturnType<ReturnType<typeof createScriptedConnection>['connect']>,
) {
  let loading: Promise<unknown> | undefined
  const chat = new ChatClient({
    threadId: 'thread',
    connection,
    persistence: {
      ...persistence,
      getItem: (id) =>
        (loading = Promise.resolve(persistence.getItem(id))) as ReturnType<ThreadPersistence<UIMessage>['getItem']>,
    },
  })
  closers.push(() => chat.dispose())
  // The chat takes the messages a few steps after the promise.
  return { chat, loaded: Promise.resolve(loading).then(() => new Promise(setImmediate)) }
}

/** What another page shows after it has loaded the thread. */
async function reload(profile: Profile): Promise<UIMessage[]> {
  const { chat } = await openTab(profile, { name: 'again' })
  return chat.getMessages()
}

const textOf = ({ parts }: Pick<UIMessage, 'parts'>): string =>
  parts.map((part) => (part.type === 'text' ? part.content : `<${part.type}>`)).join('')
const user = (id: string, content: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', content }] })
const rawEntries = async (client: SessionClient) =>
  (await (await client.session('thread')).page({ view: 'raw', limit: 4096, after: '' })).entries

it('is a persistence of the client', async () => {
  const client = await openClient(createProfile())
  const persistence: ChatClientPersistence = createPersistence(client)
  expect(await persistence.getItem('none')).toBeNull()
  expect(await (await client.session('none')).meta()).toBeUndefined()
})

describe('a thread', () => {
  it('has after a reload the same messages with the same ids and parts', async () => {
    const profile = createProfile()
    const { chat, persistence } = await openTab(profile)
    await chat.sendMessage('one')
    await chat.sendMessage('two')
    await persistence.flush()
    const before = chat.getMessages()
    expect(before.map(textOf)).toEqual(['one', 'You said one.', 'two', 'You said two.'])
    expect(before[1]!.createdAt).toBeInstanceOf(Date)
    expect(await reload(profile)).toEqual(before)
    expect(errors).toEqual([])
  })

  it('is a session with a title, texts that search finds, and one entry for each message', async () => {
    const { chat, persistence, client } = await openTab(createProfile())
    await chat.sendMessage('one')
    await persistence.flush()
    expect((await client.listSessions()).sessions).toMatchObject([{ key: 'thread', title: 'one', messageCount: 2 }])
    expect(await rawEntries(client)).toHaveLength(2)
  })

  it('writes nothing when it is loaded and shown', async () => {
    const profile = createProfile()
    const { chat, persistence, client } = await openTab(profile)
    await chat.sendMessage('one')
    await persistence.flush()
    const { version } = await (await client.session('thread')).page({ last: 1 })
    const again = await openTab(profile)
    await again.persistence.flush()
    expect((await (await client.session('thread')).page({ last: 1 })).version).toBe(version)
  })

  it('keeps the reply that was made again, and not the one before', async () => {
    const profile = createProfile()
    const { chat, persistence } = await openTab(profile)
    await chat.sendMessage('one')
    await chat.reload()
    await persistence.flush()
    expect(
      chat
        .getMessages()
        .map(({ id }) => id)
        .at(-1),
    ).toBe('a-reply-1')
    expect(await reload(profile)).toEqual(chat.getMessages())
  })

  it('is gone when the chat was cleared, and begins anew with what comes then', async () => {
    const profile = createProfile()
    const { chat, persistence, client } = await openTab(profile)
    await chat.sendMessage('one')
    chat.clear()
    await persistence.flush()
    expect((await client.listSessions()).sessions).toEqual([])
    await chat.sendMessage('two')
    await persistence.flush()
    expect((await reload(profile)).map(textOf)).toEqual(['two', 'You said two.'])
  })

  it('keeps dates, bytes and the results of tools', async () => {
    const profile = createProfile()
    const { persistence, client } = await openTab(profile)
    const message: UIMessage = {
      id: 'm',
      role: 'assistant',
      createdAt: new Date(7),
      metadata: { bytes: Uint8Array.of(1, 2), $date: 'text' },
      parts: [
        { type: 'thinking', content: 'Hm.', stepId: 's' },
        { type: 'tool-call', id: 'c', name: 'clock', arguments: '{}', state: 'complete', output: { at: new Date(8) } },
        { type: 'tool-result', toolCallId: 'c', content: 'now', state: 'complete', createdAt: new Date(9) },
        { type: 'text', content: 'Now.' },
      ] as UIMessage['parts'],
    }
    persistence.setItem('thread', { messages: [user('u', 'When?'), message] })
    await persistence.flush()
    const other = createPersistence<UIMessage>(client)
    expect(await other.getItem('thread')).toEqual({ messages: [user('u', 'When?'), message] })
  })

  it('has text and reasoning of messages that came from elsewhere, and changes them in their place', async () => {
    const client = await openClient(createProfile())
    const session = await client.session('thread')
    await session.append({ role: 'user', content: 'Hello' })
    await session.append({ role: 'assistant', content: 'Hi', reasoning_content: 'Greet.' })
    const persistence = createPersistence<UIMessage>(client)
    const { messages } = (await persistence.getItem('thread'))!
    expect(messages.map(({ parts }) => parts)).toEqual([
      [{ type: 'text', content: 'Hello' }],
      [
        { type: 'thinking', content: 'Greet.' },
        { type: 'text', content: 'Hi' },
      ],
    ])
    persistence.setItem('thread', { messages: [{ ...messages[0]!, metadata: { seen: true } }] })
    await persistence.flush()
    expect((await persistence.getItem('thread'))!.messages).toEqual([{ ...messages[0]!, metadata: { seen: true } }])
  })

  it('keeps what the client resumes it by, until there is nothing to resume, or the thread is another', async () => {
    const client = await openClient(createProfile())
    const persistence = createPersistence<UIMessage>(client)
    const resume = { resumeState: { threadId: 'thread', runId: 'r' }, pendingInterrupts: [{ id: 'i' }] }
    const messages = [user('u', 'one')]
    const stored = async () => (await createPersistence<UIMessage>(client).getItem('thread'))?.resume
    persistence.setItem('thread', { messages, resume })
    await persistence.flush()
    expect(await stored()).toEqual(resume)
    persistence.setItem('thread', { messages })
    await persistence.flush()
    expect(await stored()).toBeUndefined()
    persistence.setItem('thread', { messages, resume })
    await persistence.flush()
    await client.purge('thread')
    await (await client.session('thread')).append({ role: 'user', content: 'another' })
    expect(await stored()).toBeUndefined()
  })
})

describe('a reply that is streamed', () => {
  /** Records what goes to the store while a reply grows. */
  function recording(client: ThreadClient, calls: string[]): ThreadClient {
    const recordStream = (stream: MessageStream<object>): MessageStream<object> => ({
      ...stream,
      id: stream.id,
      write: (text) => (calls.push(text), stream.write(text)),
      writePart: (part) => (calls.push(JSON.stringify(part)), stream.writePart(part)),
      end: (message) => (calls.push('end'), stream.end(message)),
    })
    return {
      collection: client.collection,
      session: (async (key: string) => {
        const session: Session<object> = await client.session(key)
        return {
          ...session,
          stream: (options) => recordStream(session.stream(options)),
          entries: {
            ...session.entries,
            put: (message, options) => (calls.push(`put ${options?.mid}`), session.entries.put(message, options)),
          },
        } satisfies Session<object>
      }) as ThreadClient['session'],
    }
  }

  it('is journalled by what each token adds, and stored once, when it has ended', async () => {
    const profile = createProfile()
    const client = await openClient(profile)
    const calls: string[] = []
    const tokens = Array.from({ length: 300 }, (_, n) => `token ${n} `)
    const { chat, persistence } = await openTab(profile, { client: recording(client, calls), reply: () => tokens })
    await chat.sendMessage('one')
    await persistence.flush()
    const [question, reply] = chat.getMessages()
    expect(calls[0]).toBe(`put ${question!.id}`)
    expect(calls.slice(1).filter((call) => call.startsWith('put') || call === 'end')).toEqual([`put ${reply!.id}`])
    const journalled = calls.slice(1, -1)
    expect(journalled.filter((call) => call.startsWith('{')).length).toBeLessThanOrEqual(2)
    expect(journalled.join('').length).toBeLessThan(textOf(reply!).length + 400)
    expect(await rawEntries(client)).toHaveLength(2)
  })

  it('is stored by itself when the run has ended, without anybody asking for it', async () => {
    const profile = createProfile()
    const { chat, client } = await openTab(profile)
    await chat.sendMessage('one')
    const session = await client.session('thread')
    await expect.poll(async () => (await session.page()).entries.length).toBe(2)
    expect(await session.interrupted()).toEqual([])
  })

  it('has what arrived of it, with thoughts and calls, when its tab is gone', async () => {
    const profile = createProfile()
    const base = { timestamp: 0, runId: 'a-run-0', threadId: 'thread' }
    const chunks = [
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'a-reply-0', delta: 'Let me ', ...base },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'a-reply-0', delta: 'see.', ...base },
      {
        type: 'TOOL_CALL_START',
        toolCallId: 'c',
        toolCallName: 'clock',
        toolName: 'clock',
        parentMessageId: 'a-reply-0',
        ...base,
      },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"in":', ...base },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '"Rome', ...base },
    ] as unknown as StreamChunk[]
    const tab = await openTab(profile, { reply: () => ['Wait. ', 'So: ', ...chunks, pause] })
    const waiting = tab.paused()
    const sent = tab.chat.sendMessage('one')
    await waiting
    await expect.poll(() => JSON.stringify(tab.chat.getMessages())).toContain('Rome')
    const before = tab.chat.getMessages()
    expect(before[1]!.parts.map(({ type }) => type)).toEqual(expect.arrayContaining(['text', 'tool-call']))
    const drafted = async () => (await tab.client.store.listDrafts('thread'))[0]
    await expect.poll(async () => JSON.stringify((await drafted())?.parts)).toContain('Rome')
    await tab.client.close()
    expect(await reload(profile)).toEqual(before)
    tab.release()
    await sent
    errors.splice(0)
  })
})

describe('two tabs', () => {
  it('with 50 messages each have 100, each once', async () => {
    const profile = createProfile()
    const tabs = await Promise.all(['a', 'b'].map((name) => openTab(profile, { name })))
    await Promise.all(
      tabs.map(async ({ chat, persistence }, tab) => {
        for (let n = 0; n < 25; n++) await chat.sendMessage(`${tab}.${n}`)
        await persistence.flush()
      }),
    )
    const all = await reload(profile)
    expect(all).toHaveLength(100)
    const shown = tabs.flatMap(({ chat }) => chat.getMessages())
    expect(new Map(all.map((message) => [message.id, message]))).toEqual(
      new Map(shown.map((message) => [message.id, message])),
    )
    expect(await rawEntries(tabs[0]!.client)).toHaveLength(100)
    expect(errors).toEqual([])
  })

  it('keep what the other one added when one removes a message', async () => {
    const profile = createProfile()
    const [one, other] = [await openTab(profile), await openTab(profile, { name: 'b' })]
    await one.chat.sendMessage('one')
    await other.chat.sendMessage('two')
    await other.persistence.flush()
    one.chat.setMessagesManually(one.chat.getMessages().slice(0, 1))
    await one.persistence.flush()
    expect((await reload(profile)).map(textOf).sort()).toEqual(['You said two.', 'one', 'two'])
  })

  it('do not bring back a thread that one of them deletes while the other streams', async () => {
    const profile = createProfile()
    const one = await openTab(profile, { reply: () => ['You ', pause, 'said it.'] })
    const other = await openTab(profile, { name: 'b' })
    const waiting = one.paused()
    const sent = one.chat.sendMessage('one')
    await waiting
    await expect.poll(async () => (await other.client.store.listDrafts('thread')).length).toBe(1)
    await other.persistence.removeItem('thread')
    one.release()
    await sent
    await one.persistence.flush()
    expect(errors).toMatchObject([{ name: 'SessionNotFound' }])
    expect((await other.client.listSessions()).sessions).toEqual([])
    expect(await reload(profile)).toEqual([])
  })

  it.each(['delete', 'purge'] as const)('store no reply in a thread that was begun anew after a %s', async (end) => {
    const profile = createProfile()
    const one = await openTab(profile, { reply: () => ['You ', pause, 'said it.'] })
    const other = await openClient(profile)
    const waiting = one.paused()
    const sent = one.chat.sendMessage('one')
    await waiting
    await expect.poll(async () => (await other.store.listDrafts('thread')).length).toBe(1)
    await other[end]('thread')
    await other.store.addMessage('thread', 'user', 'begun anew')
    one.release()
    await sent
    await one.persistence.flush()
    expect(errors).toMatchObject([{ name: 'SessionNotFound' }])
    expect(await other.store.getHistory('thread')).toEqual([{ role: 'user', content: 'begun anew' }])
  })

  it('can go on with a thread that one of them deletes, when the other is cleared while it streams', async () => {
    const profile = createProfile()
    const one = await openTab(profile, { reply: (question) => (question.includes('two') ? ['Yes.'] : ['You ', pause]) })
    const other = await openTab(profile, { name: 'b' })
    const waiting = one.paused()
    const sent = one.chat.sendMessage('one')
    await waiting
    await expect.poll(() => other.client.store.listDrafts('thread')).toHaveLength(1)
    await other.client.delete('thread')
    one.chat.clear()
    one.release()
    await sent
    await one.persistence.flush()
    await one.chat.sendMessage('two')
    // The client hands messages over when the removal, which came first, has ended.
    const count = async () => (await (await one.client.session('thread')).page()).entries.length
    await expect.poll(() => one.persistence.flush().then(count)).toBe(2)
    expect(errors).toEqual([])
    expect((await reload(profile)).map(textOf)).toEqual(['two', 'Yes.'])
  })

  it('that follow the same run store its reply once', async () => {
    const profile = createProfile()
    const tabs = await Promise.all([openTab(profile), openTab(profile)])
    for (const { chat, persistence } of tabs) {
      await chat.sendMessage('one')
      await persistence.flush()
    }
    const { entries } = await (await tabs[0]!.client.session('thread')).page()
    const ids = entries.map(({ mid }) => mid)
    expect(ids.filter((id) => id === 'a-reply-0')).toHaveLength(1)
    expect(ids).toHaveLength(3)
  })
})

describe('a reply that two tabs follow', () => {
  it('is stored once when both store its end at the same moment', async () => {
    const client = createProfile()
    const tabs = await Promise.all(
      [0, 1].map(async () => {
        const store = await openClient(client)
        return {
          store,
          persistence: createPersistence<UIMessage>(store, { onError: (error) => void errors.push(error) }),
        }
      }),
    )
    const show = (content: string) => {
      const reply: UIMessage = { ...user('reply', content), role: 'assistant' }
      for (const { persistence } of tabs) persistence.setItem('thread', { messages: [user('1', 'one'), reply] })
    }
    const [{ store }] = tabs as [(typeof tabs)[0]]
    show('You ')
    await expect.poll(() => store.store.listDrafts('thread')).toHaveLength(2)
    show('You said one.')
    await Promise.all(tabs.map(({ persistence }) => persistence.flush()))
    expect((await rawEntries(store)).filter(({ mid }) => mid === 'reply')).toHaveLength(1)
    expect(await store.store.listDrafts('thread')).toEqual([])
    expect(errors).toEqual([])
  })
})

describe('a chat', () => {
  it('that goes on before its messages are loaded loses none of them', async () => {
    const profile = createProfile()
    const { chat, persistence } = await openTab(profile)
    await chat.sendMessage('one')
    await persistence.flush()
    const client = await openClient(profile)
    const early = createPersistence<UIMessage>(client)
    const { chat: hasty, loaded } = openChat(early, createScriptedConnection(echo).connect('b'))
    await hasty.sendMessage('two')
    await loaded
    await early.flush()
    expect(hasty.getMessages()).toHaveLength(2)
    expect((await reload(profile)).map(textOf)).toEqual(['one', 'You said one.', 'two', 'You said two.'])
  })

  it('removes what it loaded and does not show, but not when it shows nothing of what it loaded', async () => {
    const client = await openClient(createProfile())
    const first = createPersistence<UIMessage>(client)
    first.setItem('thread', { messages: [user('1', 'one'), user('2', 'two'), user('3', 'three')] })
    await first.flush()
    const taking = createPersistence<UIMessage>(client)
    const { messages } = (await taking.getItem('thread'))!
    taking.setItem('thread', { messages: messages.filter(({ id }) => id !== '2') })
    await taking.flush()
    const other = createPersistence<UIMessage>(client)
    await other.getItem('thread')
    for (const shown of [[user('4', 'four')], [user('4', 'four'), user('5', 'five')]])
      other.setItem('thread', { messages: shown })
    await other.flush()
    expect((await first.getItem('thread'))!.messages.map(({ id }) => id)).toEqual(['1', '3', '4', '5'])
  })

  it('that begins before another one of the same page has ended loses nothing', async () => {
    const profile = createProfile()
    const { chat, persistence } = await openTab(profile)
    await chat.sendMessage('one')
    const { chat: next, loaded } = openChat(persistence, createScriptedConnection(echo).connect('b'))
    next.append({ role: 'user', content: 'early' } as never).catch(() => undefined)
    await loaded
    await persistence.flush()
    expect((await reload(profile)).map(textOf).slice(0, 2)).toEqual(['one', 'You said one.'])
  })
})

describe('a write that fails', () => {
  /** Refuses each message while it is full. */
  const filling = (client: ThreadClient, space: { isFull: boolean }): ThreadClient => ({
    collection: client.collection,
    session: (async (key: string) => {
      const session: Session<object> = await client.session(key)
      return {
        ...session,
        entries: {
          ...session.entries,
          put: (message, options) =>
            space.isFull
              ? Promise.reject(new SessionError('QuotaExceeded', 'full'))
              : session.entries.put(message, options),
        },
      } satisfies Session<object>
    }) as ThreadClient['session'],
  })

  it('is told, and done again with the next one', async () => {
    const profile = createProfile()
    const client = await openClient(profile)
    const space = { isFull: true }
    const full = filling(client, space)
    const persistence = createPersistence<UIMessage>(full, { onError: (error) => void errors.push(error) })
    await persistence.getItem('thread')
    persistence.setItem('thread', { messages: [user('1', 'one')] })
    await expect.poll(() => errors).toMatchObject([{ name: 'QuotaExceeded' }])
    await expect(persistence.flush()).rejects.toMatchObject({ name: 'QuotaExceeded' })
    space.isFull = false
    persistence.setItem('thread', { messages: [user('1', 'one'), user('2', 'two')] })
    await persistence.flush()
    expect((await reload(profile)).map(textOf)).toEqual(['one', 'two'])
  })

  it('loses nothing, nor a reply that is being streamed, when the thread is loaded again', async () => {
    const profile = createProfile()
    const client = await openClient(profile)
    const space = { isFull: false }
    const persistence = createPersistence<UIMessage>(filling(client, space), {
      onError: (error) => void errors.push(error),
    })
    const reply = (content: string): UIMessage => ({ ...user('reply', content), role: 'assistant' })
    persistence.setItem('thread', { messages: [user('1', 'one'), reply('You ')] })
    await expect.poll(() => client.store.listDrafts('thread')).toHaveLength(1)
    space.isFull = true
    const shown = { messages: [user('1', 'one, changed'), reply('You said it.')] }
    persistence.setItem('thread', shown)
    expect(await persistence.getItem('thread')).toEqual(shown)
    expect(errors).toContainEqual(expect.objectContaining({ name: 'QuotaExceeded' }))
    space.isFull = false
    await persistence.flush()
    expect(await client.store.listDrafts('thread')).toEqual([])
    expect((await reload(profile)).map(textOf)).toEqual(['one, changed', 'You said it.'])
  })

  it('for what a message is does not hold up those behind it, and is told once', async () => {
    const profile = createProfile()
    const { persistence } = await openTab(profile)
    const bad: UIMessage = { ...user('bad', 'b'), metadata: { map: new Map() } }
    persistence.setItem('thread', { messages: [user('1', 'one'), bad, user('2', 'two')] })
    await persistence.flush()
    await persistence.flush()
    expect(errors).toMatchObject([{ name: 'InvalidInput' }])
    expect((await reload(profile)).map(textOf)).toEqual(['one', 'two'])
  })
})

it('looks at the end of a long thread only, while a reply grows there', async () => {
  const client = await openClient(createProfile())
  const persistence = createPersistence<UIMessage>(client)
  closers.push(() => persistence.flush())
  let reads = 0
  const before = Array.from({ length: 300 }, (_, i) => {
    const { id, ...rest } = user(`m${i}`, 'hello')
    return Object.defineProperty(rest, 'id', { enumerable: true, get: () => (reads++, id) }) as UIMessage
  })
  persistence.setItem('thread', { messages: before })
  await persistence.flush()
  reads = 0
  let content = ''
  for (let i = 0; i < 50; i++) {
    content += `${i} `
    const reply: UIMessage = { id: 'reply', role: 'assistant', parts: [{ type: 'text', content }] }
    persistence.setItem('thread', { messages: [...before, reply] })
    await new Promise(setImmediate)
  }
  await persistence.flush()
  expect(reads).toBeLessThan(before.length)
  const { messages } = (await createPersistence<UIMessage>(client).getItem('thread'))!
  expect(messages.map(textOf)).toEqual([...before.map(textOf), content])
})
