import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { chatBranches } from '../../../src/adapters/ai-sdk/chat-branches.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { isSessionError } from '../../../src/contract/errors.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'
import { failCommits } from '../../support/indexeddb-faults.ts'
import { openChat } from './support/open-chat.ts'

const clients: SessionClient[] = []
async function openClient(profile: Profile = createProfile()): Promise<SessionClient> {
  const client = await profile.open({ name: 'chats' })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

/** What messages say, by role and id. */
const texts = (messages: readonly UIMessage[]): string[] =>
  messages.map(({ role, parts }) => `${role}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`)
const plain = (messages: readonly UIMessage[]): unknown => JSON.parse(JSON.stringify(messages))

/** Makes the next reply one whose chunks the test sends. */
function controlReply(inner: ChatTransport<UIMessage>): ReadableStreamDefaultController<UIMessageChunk> {
  let controls: ReadableStreamDefaultController<UIMessageChunk> | undefined
  const stream = new ReadableStream<UIMessageChunk>({ start: (controller) => void (controls = controller) })
  const { sendMessages } = inner
  inner.sendMessages = () => {
    inner.sendMessages = sendMessages
    return Promise.resolve(stream)
  }
  return controls!
}

it('loads what the chat shows: the same ids and the same parts', async () => {
  const client = await openClient()
  const { chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'think' })
  expect(chat.status).toBe('ready')
  expect(texts(chat.messages)).toEqual(['user: think', 'assistant: Let me see.1: you said think'])
  expect(plain(await load())).toEqual(plain(chat.messages))
})

it('keeps what arrived of a reply that was stopped, marked', async () => {
  const client = await openClient()
  const { chat, load } = await openChat(client)
  const sent = chat.sendMessage({ text: 'slowly' })
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: 1: you ')
  await chat.stop()
  await sent
  await expect
    .poll(async () => (await load()).at(-1))
    .toMatchObject({ id: chat.messages.at(-1)!.id, interrupted: true })
  expect(texts(await load())).toEqual(['user: slowly', 'assistant: 1: you '])
  expect((await load()).at(-1)!.parts.at(-1)).toMatchObject({ type: 'text', state: 'done' })
})

it('keeps nothing of a reply that was stopped before it had anything', async () => {
  const { chat, load, prompts } = await openChat(await openClient())
  const sent = chat.sendMessage({ text: 'wait' })
  await expect.poll(() => prompts.length).toBe(1)
  await chat.stop()
  await sent
  await chat.sendMessage({ text: 'next' })
  expect(texts(await load())).toEqual(['user: wait', 'user: next', 'assistant: 2: you said next'])
})

it('keeps what arrived of a reply that broke off, and gives the chat the error', async () => {
  const client = await openClient()
  const { chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'fail' })
  expect(chat.status).toBe('error')
  await expect.poll(async () => (await load()).at(-1)).toMatchObject({ interrupted: true })
  expect(texts(await load())).toEqual(['user: fail', 'assistant: 1: you '])
})

it('keeps the earlier reply when another one is made, and switches between them', async () => {
  const client = await openClient()
  const { session, chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'a' })
  const first = chat.messages.at(-1)!.id
  await chat.regenerate()
  await chat.regenerate()
  await chat.sendMessage({ text: 'b' })
  expect(texts(await load())).toEqual(texts(chat.messages))
  expect(texts(await load())).toEqual(['user: a', 'assistant: 3: you said a', 'user: b', 'assistant: 4: you said b'])

  const branches = chatBranches<UIMessage>(session)
  const third = chat.messages[1]!.id
  expect([...(await branches.versions())]).toEqual([[third, { shown: 2, count: 3 }]])
  const shown = await branches.show(third, 0)
  expect(texts(shown!)).toEqual(['user: a', 'assistant: 1: you said a'])
  expect(shown![1]!.id).toBe(first)
  expect(await branches.show(third, 9)).toBe(undefined)
})

it('keeps the earlier version of a message that is edited, under the same id', async () => {
  const client = await openClient()
  const { session, chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'a' })
  await chat.sendMessage({ text: 'b' })
  const [{ id }] = chat.messages as [UIMessage]
  await chat.sendMessage({ text: 'c', messageId: id })
  expect(texts(await load())).toEqual(['user: c', 'assistant: 3: you said c'])
  expect(plain(await load())).toEqual(plain(chat.messages))
  const branches = chatBranches<UIMessage>(session)
  expect([...(await branches.versions())]).toEqual([[id, { shown: 1, count: 2 }]])
  const before = await branches.show(id, 0)
  expect(texts(before!)).toEqual(['user: a', 'assistant: 1: you said a', 'user: b', 'assistant: 2: you said b'])
  // What is made from here on belongs to the version that is shown.
  chat.messages = before!
  await chat.regenerate()
  expect(texts(await load())).toEqual(['user: a', 'assistant: 1: you said a', 'user: b', 'assistant: 4: you said b'])
})

it('stores the output of a tool, and goes on in the same message', async () => {
  const client = await openClient()
  const { chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'weather' })
  const { id } = chat.messages.at(-1)!
  await chat.addToolOutput({ tool: 'weather', toolCallId: 'call-1', output: { sun: true } })
  await chat.sendMessage()
  expect(chat.messages).toHaveLength(2)
  expect(chat.messages.at(-1)!.id).toBe(id)
  expect(plain(await load())).toEqual(plain(chat.messages))
  expect(await load()).toMatchObject([
    {},
    { parts: [{}, { state: 'output-available', output: { sun: true } }, {}, {}] },
  ])
})

it('stores an approval with what came of it, and gives back a Date as it was', async () => {
  const client = await openClient()
  const { chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'erase' })
  const call = chat.messages.at(-1)!.parts.find((part) => 'approval' in part) as { approval: { id: string } }
  await chat.addToolApprovalResponse({ id: call.approval.id, approved: true })
  await chat.sendMessage()
  expect(plain(await load())).toEqual(plain(chat.messages))
  expect((await load()).at(-1)!.parts.find((part) => 'output' in part)).toMatchObject({
    output: { erased: 'Oslo', at: new Date(0) },
  })
})

it('stores the output of a tool with the next message when it was not sent', async () => {
  const client = await openClient()
  const { chat, load } = await openChat(client)
  await chat.sendMessage({ text: 'weather' })
  await chat.addToolOutput({ tool: 'weather', toolCallId: 'call-1', output: 'sun' })
  await chat.sendMessage({ text: 'thanks' })
  expect(plain(await load())).toEqual(plain(chat.messages))
  expect(chat.messages).toHaveLength(4)
})

it('stores a reply with a tool once when a message is sent while it arrives', async () => {
  const { chat, inner, transport, load } = await openChat(await openClient())
  const reply = controlReply(inner)
  const sent = chat.sendMessage({ text: 'a' })
  reply.enqueue({ type: 'start' })
  reply.enqueue({ type: 'tool-input-available', toolCallId: 'call-1', toolName: 'weather', input: {} })
  await expect.poll(() => chat.messages.at(-1)!.parts[0]!.type).toBe('tool-weather')
  const next: UIMessage = { id: 'next', role: 'user', parts: [{ type: 'text', text: 'b' }] }
  const answer = controlReply(inner)
  answer.enqueue({ type: 'start' })
  answer.enqueue({ type: 'text-start', id: 't' })
  answer.enqueue({ type: 'text-end', id: 't' })
  answer.close()
  const second = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: chat.id,
    messageId: undefined,
    messages: [...chat.messages, next],
    abortSignal: undefined,
  })
  await second.pipeTo(new WritableStream())
  reply.enqueue({ type: 'finish' })
  reply.close()
  await sent
  const ids = (await load()).map(({ id }) => id)
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(4)
})

it('shows in another tab how a message goes on, and keeps what it had and what arrived when that is stopped', async () => {
  const profile = createProfile()
  const { chat, load } = await openChat(await openClient(profile))
  await chat.sendMessage({ text: 'weather' })
  await chat.addToolOutput({ tool: 'weather', toolCallId: 'call-1', output: 'slowly' })
  const sent = chat.sendMessage()
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: 2: you ')
  const other = await openChat(await openClient(profile))
  const followed = other.chat.resumeStream()
  await expect.poll(() => texts(other.chat.messages).at(-1)).toBe('assistant: 2: you ')
  expect(other.chat.messages[1]!.parts).toMatchObject([{}, { output: 'slowly' }, {}, { type: 'text' }])
  await chat.stop()
  await Promise.all([sent, followed])
  const [, reply] = await load()
  expect(reply).toMatchObject({ id: chat.messages[1]!.id, interrupted: true })
  expect(reply!.parts).toMatchObject([
    { type: 'step-start' },
    { state: 'output-available', output: 'slowly' },
    { type: 'step-start' },
    { type: 'text', text: '2: you ', state: 'done' },
  ])
  expect(other.chat.messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
  expect(texts(other.chat.messages)).toEqual(texts(chat.messages))
})

it('does not follow a reply to another version of the conversation', async () => {
  const profile = createProfile()
  const { chat, release } = await openChat(await openClient(profile))
  await chat.sendMessage({ text: 'a' })
  const { transport, load } = await openChat(await openClient(profile))
  const sent = chat.sendMessage({ text: 'slowly', messageId: chat.messages[0]!.id })
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: 2: you ')
  expect(await transport.reconnectToStream({ chatId: 'chat' })).toBe(null)
  await load()
  const followed = await transport.reconnectToStream({ chatId: 'chat' })
  expect(followed).not.toBe(null)
  await followed!.cancel()
  release()
  await sent
})

it('stops following a reply of another tab that has nothing new when the stream is cancelled', async () => {
  const profile = createProfile()
  const { chat, release } = await openChat(await openClient(profile))
  const sent = chat.sendMessage({ text: 'slowly' })
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: 1: you ')
  const { transport, load } = await openChat(await openClient(profile))
  const reader = (await transport.reconnectToStream({ chatId: 'chat' }))!.getReader()
  let text = ''
  while (text !== '1: you ') {
    const { value } = await reader.read()
    if (value?.type === 'text-delta') text += value.delta
  }
  const waiting = reader.read()
  expect(texts(await load())).toEqual(['user: slowly'])
  await reader.cancel()
  expect((await waiting).done).toBe(true)
  release()
  await sent
})

it('stores 100 of 100 messages when two tabs send 50 each, each once and with its reply behind it', async () => {
  const profile = createProfile()
  const tabs = await Promise.all([0, 1].map(async () => openChat(await openClient(profile))))
  await Promise.all(
    tabs.map(async ({ chat }, tab) => {
      for (let n = 0; n < 25; n++) await chat.sendMessage({ text: `${tab}.${n}` })
    }),
  )
  const stored = await tabs[0]!.load()
  expect(stored).toHaveLength(100)
  expect(new Set(stored.map(({ id }) => id))).toEqual(
    new Set(tabs.flatMap(({ chat }) => chat.messages.map(({ id }) => id))),
  )
  for (const { chat } of tabs) {
    const ids = new Set(chat.messages.map(({ id }) => id))
    expect(texts(stored.filter(({ id }) => ids.has(id)))).toEqual(texts(chat.messages))
  }
})

it('puts what a tab says behind what that tab shows, though another tab went to another reply', async () => {
  const profile = createProfile()
  const one = await openChat(await openClient(profile))
  await one.chat.sendMessage({ text: 'a' })
  const two = await openChat(await openClient(profile))
  await one.chat.regenerate()
  await two.chat.sendMessage({ text: 'b' })
  expect(texts(await two.load())).toEqual([
    'user: a',
    'assistant: 1: you said a',
    'user: b',
    'assistant: 1: you said b',
  ])
  const branches = chatBranches<UIMessage>(two.session)
  expect(texts((await branches.show(two.chat.messages[1]!.id, 1))!)).toEqual(['user: a', 'assistant: 2: you said a'])
})

it('puts a reply behind its question, though the chat went to another version before the reply began', async () => {
  const { chat, session, inner, load } = await openChat(await openClient())
  await chat.sendMessage({ text: 'a' })
  await chat.regenerate()
  const branches = chatBranches<UIMessage>(session)
  const { id } = chat.messages[1]!
  const { sendMessages } = inner
  inner.sendMessages = async (options) => {
    await branches.show(id, 0)
    return sendMessages.call(inner, options)
  }
  await chat.sendMessage({ text: 'b' })
  expect(texts(await load())).toEqual(['user: a', 'assistant: 1: you said a'])
  expect(texts((await branches.show((await load())[1]!.id, 1))!)).toEqual(texts(chat.messages))
})

it('puts another reply beside the one that another tab still streams', async () => {
  const profile = createProfile()
  const one = await openChat(await openClient(profile))
  const first = one.chat.sendMessage({ text: 'slowly' })
  await expect.poll(() => texts(one.chat.messages).at(-1)).toBe('assistant: 1: you ')
  const two = await openChat(await openClient(profile))
  const second = two.chat.regenerate()
  await expect.poll(() => texts(two.chat.messages).at(-1)).toBe('assistant: 1: you ')
  two.release()
  await second
  one.release()
  await first
  const { load, session } = await openChat(await openClient(profile))
  expect((await load()).map(({ id }) => id)).toEqual(two.chat.messages.map(({ id }) => id))
  const branches = chatBranches<UIMessage>(session)
  const { id } = two.chat.messages[1]!
  expect([...(await branches.versions())]).toEqual([[id, { shown: 1, count: 2 }]])
  expect((await branches.show(id, 0))!.map((message) => message.id)).toEqual(one.chat.messages.map((one) => one.id))
})

it('puts another reply beside the one that still arrives in the same chat', async () => {
  const { chat, inner, load, session } = await openChat(await openClient())
  const earlier = controlReply(inner)
  const first = chat.sendMessage({ text: 'a' })
  earlier.enqueue({ type: 'start', messageId: 'earlier' })
  earlier.enqueue({ type: 'text-start', id: 't' })
  earlier.enqueue({ type: 'text-delta', id: 't', delta: 'an answer' })
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: an answer')
  await chat.regenerate()
  const later = chat.messages[1]!.id
  earlier.enqueue({ type: 'text-end', id: 't' })
  earlier.close()
  await first
  expect((await load()).map(({ id }) => id)).toEqual([chat.messages[0]!.id, later])
  const branches = chatBranches<UIMessage>(session)
  expect([...(await branches.versions())]).toEqual([[later, { shown: 1, count: 2 }]])
  expect(texts((await branches.show(later, 0))!)).toEqual(['user: a', 'assistant: an answer'])
})

it('lets another tab follow a reply that has not begun, also when the server chooses its id', async () => {
  const profile = createProfile()
  const one = await openChat(await openClient(profile))
  const isThere = async () => (await one.session.store.listDrafts('chat')).length === 1
  for (const id of [undefined, 'of the server']) {
    const reply = controlReply(one.inner)
    const sent = one.chat.sendMessage({ text: 'a' })
    await expect.poll(isThere).toBe(true)
    const two = await openChat(await openClient(profile))
    const followed = two.chat.resumeStream()
    reply.enqueue({ type: 'start', ...(id && { messageId: id }) })
    reply.enqueue({ type: 'text-start', id: 't' })
    reply.enqueue({ type: 'text-delta', id: 't', delta: 'an answer' })
    await expect.poll(() => texts(two.chat.messages).at(-1)).toBe('assistant: an answer')
    reply.enqueue({ type: 'text-end', id: 't' })
    reply.close()
    await Promise.all([sent, followed])
    expect(two.chat.messages.map((message) => message.id)).toEqual(one.chat.messages.map((message) => message.id))
    expect(texts(await one.load())).toEqual(texts(one.chat.messages))
    expect(one.chat.messages.at(-1)!.id === 'of the server').toBe(id !== undefined)
    expect(await isThere()).toBe(false)
  }
})

it('shows nothing in another tab of a reply that ended before it began', async () => {
  const profile = createProfile()
  const one = await openChat(await openClient(profile))
  const reply = controlReply(one.inner)
  const sent = one.chat.sendMessage({ text: 'a' })
  await expect.poll(async () => (await one.session.store.listDrafts('chat')).length).toBe(1)
  const two = await openChat(await openClient(profile))
  const followed = two.chat.resumeStream()
  await expect.poll(() => two.chat.status).toBe('submitted')
  reply.error(new Error('overloaded'))
  await Promise.all([sent, followed])
  expect(two.chat.status).toBe('ready')
  expect(texts(two.chat.messages)).toEqual(['user: a'])
  expect(texts(await two.load())).toEqual(['user: a'])
})

it('puts another reply beside one of another tab that has not begun', async () => {
  const profile = createProfile()
  const one = await openChat(await openClient(profile))
  const earlier = controlReply(one.inner)
  const sent = one.chat.sendMessage({ text: 'a' })
  await expect.poll(async () => (await one.session.store.listDrafts('chat')).length).toBe(1)
  const two = await openChat(await openClient(profile))
  await two.chat.regenerate()
  earlier.enqueue({ type: 'text-start', id: 't' })
  earlier.enqueue({ type: 'text-delta', id: 't', delta: 'an answer' })
  earlier.enqueue({ type: 'text-end', id: 't' })
  earlier.close()
  await sent
  expect(texts(await two.load())).toEqual(['user: a', 'assistant: 1: you said a'])
  const { id } = two.chat.messages[1]!
  const branches = chatBranches<UIMessage>(two.session)
  expect([...(await branches.versions())]).toEqual([[id, { shown: 1, count: 2 }]])
  expect(texts((await branches.show(id, 0))!)).toEqual(['user: a', 'assistant: an answer'])
})

it('takes back the announcement of a reply when the request fails', async () => {
  const { chat, session, inner, load } = await openChat(await openClient())
  inner.sendMessages = () => Promise.reject(new Error('offline'))
  await chat.sendMessage({ text: 'a' })
  expect(chat.error?.message).toBe('offline')
  expect(await session.store.listDrafts('chat')).toEqual([])
  expect(texts(await load())).toEqual(['user: a'])
})

it('counts no version for a reply that ended with nothing while another one was made', async () => {
  const { chat, inner, load, session } = await openChat(await openClient())
  const earlier = controlReply(inner)
  const first = chat.sendMessage({ text: 'a' })
  earlier.enqueue({ type: 'start' })
  await expect.poll(async () => (await session.store.listDrafts(session.key)).length).toBe(1)
  await chat.regenerate()
  earlier.error(new Error('The line is cut.'))
  await first
  expect(texts(await load())).toEqual(['user: a', 'assistant: 1: you said a'])
  expect((await chatBranches(session).versions()).size).toBe(0)
})

it('does not bring back a session that another tab deletes while a reply arrives', async () => {
  const profile = createProfile()
  const other = await openClient(profile)
  const errors: unknown[] = []
  const { chat, load, release } = await openChat(await openClient(profile), { onError: (error) => errors.push(error) })
  const sent = chat.sendMessage({ text: 'slowly' })
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: 1: you ')
  await other.delete('chat')
  release()
  await sent
  expect(chat.status).toBe('ready')
  expect(errors.map((error) => isSessionError(error, 'SessionNotFound'))).toEqual([true])
  expect(await load()).toEqual([])
  expect((await other.listSessions()).sessions).toEqual([])
})

describe('when there is no space', () => {
  it('the chat goes on, the app is told, and all is stored in its order once there is', async () => {
    const errors: unknown[] = []
    const { chat, transport, load } = await openChat(await openClient(), { onError: (error) => errors.push(error) })
    await chat.sendMessage({ text: 'a' })
    const full = failCommits('QuotaExceededError')
    await chat.sendMessage({ text: 'b' })
    await chat.regenerate()
    expect(chat.status).toBe('ready')
    await expect(transport.retry()).rejects.toMatchObject({ name: 'QuotaExceeded' })
    full.restore()
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.every((error) => isSessionError(error, 'QuotaExceeded'))).toBe(true)
    await transport.retry()
    expect(plain(await load())).toEqual(plain(chat.messages))
    expect(texts(await load()).slice(2)).toEqual(['user: b', 'assistant: 3: you said b'])
  })

  it('the chat has the error where the app is not told', async () => {
    const { chat, load } = await openChat(await openClient())
    await chat.sendMessage({ text: 'a' })
    const full = failCommits('QuotaExceededError')
    await chat.sendMessage({ text: 'b' })
    full.restore()
    expect(chat.error).toMatchObject({ name: 'QuotaExceeded' })
    expect(chat.status).toBe('error')
    await chat.regenerate()
    expect(texts(await load())).toEqual(['user: a', 'assistant: 1: you said a', 'user: b', 'assistant: 2: you said b'])
  })
})

it('leaves the conversation as it was when the request fails', async () => {
  const { chat, session, inner, load } = await openChat(await openClient())
  await chat.sendMessage({ text: 'a' })
  inner.sendMessages = () => Promise.reject(new Error('offline'))
  await chat.regenerate()
  expect(chat.error?.message).toBe('offline')
  expect(texts(await load())).toEqual(['user: a', 'assistant: 1: you said a'])
  expect((await session.branches.list()).length).toBe(1)
})

it('leaves the conversation as it was when another reply fails before it has anything', async () => {
  const { chat, session, inner, load } = await openChat(await openClient())
  await chat.sendMessage({ text: 'a' })
  const reply = controlReply(inner)
  reply.enqueue({ type: 'start' })
  reply.enqueue({ type: 'start-step' })
  reply.enqueue({ type: 'error', errorText: 'overloaded' })
  reply.close()
  await chat.regenerate()
  expect(chat.error?.message).toBe('overloaded')
  expect(texts(await load())).toEqual(['user: a', 'assistant: 1: you said a'])
  expect((await session.branches.list()).length).toBe(1)
})

it('keeps what arrived when it is closed', async () => {
  const { chat, load } = await openChat(await openClient())
  const sent = chat.sendMessage({ text: 'slowly' })
  await expect.poll(() => texts(chat.messages).at(-1)).toBe('assistant: 1: you ')
  await chat.dispose()
  await sent
  await expect.poll(async () => texts(await load())).toEqual(['user: slowly', 'assistant: 1: you '])
})

it('stores files as blobs, shows them by URL, and gives the model their bytes', async () => {
  const client = await openClient()
  const { chat, session, transport } = await openChat(client)
  const url = 'data:image/png;base64,AAEC'
  await chat.sendMessage({ text: 'look', files: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', url }] })
  const [entry] = (await session.page({ last: 2 })).entries
  expect(JSON.stringify(entry)).not.toContain('AAEC')

  const again = await openChat(client)
  const [file] = again.chat.messages[0]!.parts
  expect(file).toMatchObject({ type: 'file', mediaType: 'image/png', filename: 'a.png' })
  const shown = (file as { url: string }).url
  expect([...new Uint8Array(await (await fetch(shown)).arrayBuffer())]).toEqual([0, 1, 2])
  const before = (await session.page({ last: 1, view: 'raw' })).version
  await again.chat.regenerate()
  expect(JSON.stringify(again.prompts.at(-1))).toContain('AAEC')
  // The question is known, although its file has another URL here.
  const written = (await session.page({ last: 4096 })).entries.filter(
    ({ message }) => (message as { role: string }).role === 'user',
  )
  expect(written.map(({ edit }) => edit)).toEqual([undefined])
  expect((await session.page({ last: 1 })).version).toBeGreaterThan(before)
  again.transport.close()
  transport.close()
  await expect(fetch(shown)).rejects.toThrow(TypeError)
})

it('shows messages of other hosts with their text and reasoning', async () => {
  const client = await openClient()
  const session = await client.session('chat')
  await session.append({ role: 'user', content: 'q' })
  await session.append({ role: 'assistant', content: 'a', reasoning_content: 'because' })
  await session.append({ role: 'tool', tool_call_id: 'c', content: 'r' })
  const { chat, load } = await openChat(client)
  expect(chat.messages.map(({ role, parts }) => [role, parts])).toMatchObject([
    ['user', [{ type: 'text', text: 'q', state: 'done' }]],
    [
      'assistant',
      [
        { type: 'reasoning', text: 'because', state: 'done' },
        { type: 'text', text: 'a', state: 'done' },
      ],
    ],
  ])
  await chat.sendMessage({ text: 'next' })
  expect(texts(await load()).slice(2)).toEqual(['user: next', 'assistant: 1: you said next'])
})

describe('a message without an id of a host', () => {
  it('is stored once, and as it was, when another reply to it is made', async () => {
    const client = await openClient()
    const session = await client.session('chat')
    await session.appendAll(
      ['q', 'a'].map((content, n) => ({ type: 'message', message: { role: n ? 'assistant' : 'user', content } })),
    )
    const { chat, load } = await openChat(client)
    const old = chat.messages[1]!.id
    await chat.regenerate()
    expect(texts(await load())).toEqual(['user: q', 'assistant: 1: you said q'])
    expect((await session.messages())[0]).toEqual({ role: 'user', content: 'q' })
    const branches = chatBranches<UIMessage>(session)
    const before = await branches.show(chat.messages[1]!.id, 0)
    expect(before!.map(({ id }) => id)).toEqual([chat.messages[0]!.id, old])
  })

  it('has its versions under one id', async () => {
    const client = await openClient()
    const session = await client.session('chat')
    await session.append({ role: 'user', content: 'q' })
    const { chat, load } = await openChat(client)
    const [{ id }] = chat.messages as [UIMessage]
    await chat.sendMessage({ text: 'c', messageId: id })
    await chat.regenerate()
    expect(texts(await load())).toEqual(['user: c', 'assistant: 2: you said c'])
    const branches = chatBranches<UIMessage>(session)
    expect((await branches.versions()).get(id)).toEqual({ shown: 1, count: 2 })
    expect(texts((await branches.show(id, 0))!)).toEqual(['user: q'])
  })

  it('goes on in its place after the output of a tool', async () => {
    const client = await openClient()
    const session = await client.session('chat')
    await session.append({ role: 'user', content: 'weather' })
    const call = { type: 'tool-weather', toolCallId: 'call-1', state: 'input-available', input: { city: 'Oslo' } }
    await session.append({ role: 'assistant', parts: [{ type: 'step-start' }, call] })
    const { chat, load } = await openChat(client)
    await chat.addToolOutput({ tool: 'weather', toolCallId: 'call-1', output: 'sun' })
    await chat.sendMessage()
    expect(chat.messages).toHaveLength(2)
    expect(plain(await load())).toEqual(plain(chat.messages))
  })
})
