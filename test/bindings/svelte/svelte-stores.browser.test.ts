import { type Component, mount as mountComponent, unmount as unmountComponent } from 'svelte'
import { writable } from 'svelte/store'
import { afterEach, expect, it } from 'vitest'
import { useTranscript } from '../../../src/bindings/svelte/svelte-stores.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { countedClient } from '../support/counted-client.ts'
import { useClients } from '../support/open-clients.ts'
import { watchFrames } from '../support/watch-frames.ts'

const open = useClients()
const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

async function mount(client: SessionClient | Promise<SessionClient>, key: unknown, file = './Chat.svelte') {
  const element = document.body.appendChild(document.createElement('div'))
  const frames = watchFrames(element)
  // Named in a variable: no compiler of types reads Svelte.
  const { default: Chat } = (await import(/* @vite-ignore */ file)) as { readonly default: Component<object> }
  const component = mountComponent(Chat, { target: element, props: { client, key } })
  const unmount = async (): Promise<void> => {
    await unmountComponent(component)
    frames.stop()
    element.remove()
  }
  endings.push(unmount)
  const find = <Found extends HTMLElement>(selector: string): Found => element.querySelector<Found>(selector)!
  const text = (): string => ['nav', 'main', 'p', 'footer'].map((selector) => find(selector).textContent).join('; ')
  return { find, frames, unmount, text }
}

it('shows what is stored in a component of Svelte, live, and leaves nothing open', async () => {
  const client = await open()
  const session = await client.session({ key: 'a', title: 'A' })
  for (const content of ['one', 'two', 'three']) await session.append({ role: 'user', content })
  const { client: counted, open: left } = countedClient(client)
  const { find, text, unmount } = await mount(counted, writable('a'))
  await expect.poll(text).toBe('A of 1; a ready: two|three; ; worker')
  const reply = session.stream()
  reply.write('four')
  await expect.poll(text).toBe('A of 1; a ready: two|three|four; ; worker')
  await reply.end()
  find('button').click()
  await expect.poll(text).toBe('A of 1; a ready: one|two|three|four; ; worker')
  const input = find<HTMLInputElement>('input')
  input.value = 'four'
  input.dispatchEvent(new Event('input', { bubbles: true }))
  await expect.poll(text).toBe('A of 1; a ready: one|two|three|four; four; worker')
  endings.splice(0)
  await unmount()
  await expect.poll(left).toBe(0)
})

it('shows nothing of the old conversation under the name of the new one', async () => {
  const client = await open()
  for (const key of ['a', 'b']) await (await client.session(key)).append({ role: 'user', content: `of ${key}` })
  const key = writable('a')
  const { find, frames, text } = await mount(client, key)
  await expect.poll(text).toContain('a ready: of a')
  key.set('b')
  await expect.poll(text).toContain('b ready: of b')
  expect(find('main').textContent).toBe('b ready: of b')
  expect(frames.all().filter((frame) => /b \w+: of a/.test(frame))).toEqual([])
})

it('follows a key of runes, in the store of a promise, and leaves nothing open', async () => {
  const client = await open()
  for (const key of ['a', 'b']) await (await client.session(key)).append({ role: 'user', content: `of ${key}` })
  const { client: counted, open: left } = countedClient(client)
  const { find, frames, unmount } = await mount(Promise.resolve(counted), undefined, './Runes.svelte')
  const text = () => find('main').textContent
  await expect.poll(text).toBe('a ready: of a')
  find('button').click()
  await expect.poll(text).toBe('b ready: of b')
  expect(frames.all().filter((frame) => /b \w+: of a/.test(frame))).toEqual([])
  endings.splice(0)
  await unmount()
  await expect.poll(left).toBe(0)
})

it('keeps the contract of a store: a subscriber hears the state at once, and nothing after it has left', async () => {
  const client = await open()
  const session = await client.session('a')
  const heard: string[] = []
  const stop = useTranscript(client, session).subscribe(({ status }) => void heard.push(status))
  expect(heard).toEqual(['loading'])
  await expect.poll(() => heard).toEqual(['loading', 'ready'])
  stop()
  await session.append({ role: 'user', content: 'unheard' })
  const other = session.transcript()
  await other.ready()
  other.close()
  expect(heard).toEqual(['loading', 'ready'])
})
