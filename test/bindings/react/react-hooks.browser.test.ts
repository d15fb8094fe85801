import { createElement as h, type ReactElement, StrictMode, version } from 'react'
import { expect, it, vi } from 'vitest'
import { SessionStoreProvider } from '../../../src/bindings/react/session-store-provider.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { countedClient } from '../support/counted-client.ts'
import { useClients } from '../support/open-clients.ts'
import { Conversation, Found, Health, List } from './chat.ts'
import { useMounting } from './mount.ts'

const open = useClients()
const { mount } = useMounting()

const within = (client: SessionClient, ...children: readonly ReactElement[]): ReactElement =>
  h(SessionStoreProvider, { client }, ...children) // bounded: what a test writes

/** Stores a session with these messages. */
async function store(client: SessionClient, key: string, ...contents: readonly string[]): Promise<void> {
  const session = await client.session({ key, title: key })
  for (const content of contents) await session.append({ role: 'user', content })
}

it('runs under the React of its project', () => {
  expect(version).toMatch(/^1[89]\./)
})

it('shows the list of sessions, and each new one', async () => {
  const client = await open()
  await store(client, 'a', 'hello')
  const list = mount(within(client, h(List)))
  await expect.poll(list.text).toBe('ready: a of 1')
  await store(client, 'b', 'hello')
  await expect.poll(list.text).toBe('ready: a,b of 2')
})

it('shows a conversation, and each new message', async () => {
  const client = await open()
  await store(client, 'a', 'one')
  const chat = mount(within(client, h(Conversation, { target: 'a' })))
  await expect.poll(chat.text).toBe('a(ready): one')
  await store(client, 'a', 'two')
  await expect.poll(chat.text).toBe('a(ready): one|two')
})

it('shows the conversation of a handle without a provider, and ends only the transcript', async () => {
  const client = await open()
  const given = await client.session('a')
  await given.append({ role: 'user', content: 'one' })
  const ended = vi.fn()
  const session: typeof given = {
    ...given,
    transcript: (options) => {
      const transcript = given.transcript(options)
      return Object.assign(Object.create(transcript), { close: () => (transcript.close(), ended()) })
    },
  }
  const chat = mount(h(Conversation, { target: session }))
  await expect.poll(chat.text).toBe('a(ready): one')
  chat.unmount()
  await expect.poll(() => ended.mock.calls.length).toBe(1)
  await given.append({ role: 'user', content: 'two' })
})

it('waits without a provider for a handle that there is not yet', async () => {
  const client = await open()
  const chat = mount(h(Conversation, { target: undefined }))
  await expect.poll(chat.text).toBe('undefined(loading): ')
  const session = await client.session('a')
  await session.append({ role: 'user', content: 'one' })
  chat.show(h(Conversation, { target: session }))
  await expect.poll(chat.text).toBe('a(ready): one')
})

it('loads earlier messages when it is asked to', async () => {
  const client = await open()
  await store(client, 'a', '1', '2', '3', '4', '5')
  const chat = mount(within(client, h(Conversation, { target: 'a', last: 2 })))
  await expect.poll(chat.text).toBe('a(ready): 4|5…')
  chat.element.querySelector('button')!.click()
  await expect.poll(chat.text).toBe('a(ready): 2|3|4|5…')
})

it('shows a reply that grows, then the kept message in its place, and never less than before', async () => {
  const client = await open()
  await store(client, 'a', 'Why?')
  const session = await client.session('a')
  const chat = mount(within(client, h(Conversation, { target: 'a' })))
  await expect.poll(chat.text).toBe('a(ready): Why?')
  chat.frames.clear()
  const reply = session.stream()
  reply.write('Because ')
  await expect.poll(chat.text).toBe('a(ready): Why?|Because ')
  reply.write('it is.')
  await expect.poll(chat.text).toBe('a(ready): Why?|Because it is.')
  await reply.end()
  await session.append({ role: 'user', content: 'Oh.' })
  await expect.poll(chat.text).toBe('a(ready): Why?|Because it is.|Oh.')
  const frames = chat.frames.all()
  expect(frames.filter((frame, i) => i > 0 && !frame.startsWith(frames[i - 1]!))).toEqual([])
})

it('shows nothing of the old conversation under the name of the new one', async () => {
  const client = await open()
  await store(client, 'a', 'of a')
  await store(client, 'b', 'of b')
  const { client: counted, open: left } = countedClient(client)
  const chat = mount(within(counted, h(Conversation, { target: 'a' })))
  await expect.poll(chat.text).toBe('a(ready): of a')
  expect(left()).toBe(1)
  chat.show(within(counted, h(Conversation, { target: 'b' })))
  await expect.poll(chat.text).toBe('b(ready): of b')
  expect(chat.frames.all()).toEqual(['a(loading): ', 'a(ready): of a', 'b(loading): ', 'b(ready): of b'])
  await expect.poll(left).toBe(1)
})

it('opens everything once under StrictMode, and leaves nothing open', async () => {
  const client = await open()
  await store(client, 'a', 'hello')
  const { client: counted, open: left, opened } = countedClient(client)
  const app = mount(h(StrictMode, null, within(counted, h(List), h(Conversation, { target: 'a' }), h(Health))))
  await expect.poll(app.text).toBe('ready: a of 1a(ready): helloready: worker')
  // The list, the handle, and the subscription of the health report.
  expect(opened()).toBe(3)
  app.unmount()
  await expect.poll(left).toBe(0)
})

it('leaves nothing open when it is unmounted while its session is being opened', async () => {
  const client = await open()
  await store(client, 'a', 'hello')
  const { client: counted, open: left, opened } = countedClient(client)
  let openNow: (() => void) | undefined
  const session = (async (key: string) => {
    await new Promise<void>((resolve) => (openNow = resolve))
    return counted.session(key)
  }) as SessionClient['session']
  const chat = mount(within({ ...counted, session }, h(Conversation, { target: 'a' })))
  await expect.poll(() => openNow !== undefined).toBe(true)
  chat.unmount()
  openNow!()
  await expect.poll(opened).toBe(1)
  await expect.poll(left).toBe(0)
})

it('does not open the list again for a query that is written in place', async () => {
  const client = await open()
  await store(client, 'a', 'hello')
  const { client: counted, opened } = countedClient(client)
  const list = mount(within(counted, h(List)))
  await expect.poll(list.text).toBe('ready: a of 1')
  list.show(within(counted, h(List), h('i', null, '.')))
  await expect.poll(list.text).toBe('ready: a of 1.')
  expect(opened()).toBe(1)
  list.show(within(counted, h(List, { limit: 1 }), h('i', null, '.')))
  await expect.poll(opened).toBe(2)
})

it('says that the store is closed', async () => {
  const client = await open()
  await client.close()
  const app = mount(within(client, h(List), h(Conversation, { target: 'a' }), h(Health)))
  await expect.poll(app.text).toBe('error StorageClosed:  of 0a(error StorageClosed): error StorageClosed: undefined')
})

it('keeps what it shows when the store is closed, and says that it is', async () => {
  const client = await open()
  await store(client, 'a', 'hello')
  const app = mount(within(client, h(List), h(Conversation, { target: 'a' })))
  await expect.poll(app.text).toBe('ready: a of 1a(ready): hello')
  await client.close()
  await expect.poll(app.text).toBe('error StorageClosed: a of 1a(error StorageClosed): hello')
})

it('finds messages, and shows those of the search before until there are new ones', async () => {
  const client = await open()
  await store(client, 'a', 'blue sky', 'blue sea')
  const found = mount(within(client, h(Found, { text: '' })))
  await expect.poll(found.text).toBe('ready: ')
  found.show(within(client, h(Found, { text: 'sky' })))
  await expect.poll(found.text).toBe('ready: blue sky')
  found.frames.clear()
  found.show(within(client, h(Found, { text: 'sea' })))
  await expect.poll(found.text).toBe('ready: blue sea')
  expect(found.frames.all()).toEqual(['loading: blue sky', 'ready: blue sea'])
})

it('shows the same to two tabs that write at once, each message once', async () => {
  const first = await open()
  const second = await open(first.name)
  const tabs = [first, second].map((client) => mount(within(client, h(Conversation, { target: 'a' }))))
  const write = async (client: SessionClient, name: string): Promise<void> => {
    const session = await client.session('a')
    for (let i = 0; i < 10; i++) await session.append({ role: 'user', content: `${name}${i}` })
  }
  await Promise.all([write(first, 'x'), write(second, 'y')])
  const messages = await (await first.session('a')).messages()
  expect(messages).toHaveLength(20)
  const stored = `a(ready): ${messages.map(({ content }) => content).join('|')}`
  for (const tab of tabs) {
    await expect.poll(tab.text).toBe(stored)
    const twice = tab.frames.all().filter((frame) => {
      const texts = frame.split(': ')[1]!.split('|')
      return new Set(texts).size < texts.length
    })
    expect(twice).toEqual([])
  }
})
