import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Served } from '../support/serve.ts'
import { useServed } from '../support/use-served.ts'
import type { ThreadPage } from './support/framework-pages.ts'
import { serveChat } from './support/serve-chat.ts'

// The chat app of a user of TanStack AI, with its own `useChat`, and a model that is scripted.

let served: Served
let context: BrowserContext

useServed(serveChat('tanstack-ai'), (opened) => void ({ served, context } = opened))

type ChatWindow = Window & { readonly chat: ThreadPage }

async function load(page: Page): Promise<Page> {
  await page.goto(`${served.url}/index.html`)
  await page.waitForFunction(() => 'chat' in window)
  return page
}
const openTab = async (): Promise<Page> => load(await context.newPage())
const shown = (page: Page): Promise<ThreadPage['messages']> =>
  page.evaluate(() => (window as unknown as ChatWindow).chat.messages)
const texts = async (page: Page): Promise<string[]> =>
  (await shown(page)).map(({ parts }) => parts.map(({ content = '' }) => content).join(''))
const send = (page: Page, text: string): Promise<void> =>
  page.evaluate((said) => (window as unknown as ChatWindow).chat.send(said), text)
const flush = (page: Page): Promise<void> => page.evaluate(() => (window as unknown as ChatWindow).chat.flush())
const errors = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (window as unknown as ChatWindow).chat.errors)
/** What the store has of a reply that is being streamed. */
const journalled = async (page: Page): Promise<string | undefined> =>
  (await page.evaluate(() => (window as unknown as ChatWindow).chat.client.store.listDrafts('chat')))[0]?.text
/** Sends a message to which the reply stops half-way, and waits for the first half. */
async function sendSlowly(page: Page): Promise<void> {
  await page.evaluate(() => void (window as unknown as ChatWindow).chat.send('slowly'))
  await expect.poll(async () => (await texts(page)).at(-1)).toMatch(/^\d: you $/)
}

it('shows after a reload what it showed before: the same ids and the same parts', async () => {
  const page = await openTab()
  await send(page, 'a')
  await flush(page)
  const before = await shown(page)
  expect(await texts(page)).toEqual(['a', '0: you said it'])
  await load(page)
  await expect.poll(() => shown(page)).toEqual(before)
  expect(await errors(page)).toEqual([])
})

it('has what arrived of a reply once, with its id, when the page is left while it streams, and goes on', async () => {
  const page = await openTab()
  await sendSlowly(page)
  const before = await shown(page)
  await expect.poll(() => journalled(page)).toBe('0: you ')
  await load(page)
  await expect.poll(() => shown(page)).toEqual(before)
  await send(page, 'next')
  await flush(page)
  await load(page)
  await expect.poll(() => texts(page)).toEqual(['slowly', '0: you ', 'next', '0: you said it'])
})

it('has all of 100 messages, each once, when two tabs send 25 each and get 25 replies', async () => {
  const tabs = await Promise.all([openTab(), openTab()])
  await Promise.all(
    tabs.map((tab, number) =>
      tab.evaluate(async (name) => {
        for (let n = 0; n < 25; n++) await (window as unknown as ChatWindow).chat.send(`${name}.${n}`)
        await (window as unknown as ChatWindow).chat.flush()
      }, number),
    ),
  )
  const sent = (await Promise.all(tabs.map(shown))).flat().map(({ id }) => id)
  const page = await openTab()
  await expect.poll(async () => (await shown(page)).length).toBe(100)
  expect((await shown(page)).map(({ id }) => id).sort()).toEqual(sent.sort())
})

it('does not bring a thread back that is deleted in one tab while the other streams', async () => {
  const [page, other] = [await openTab(), await openTab()]
  await sendSlowly(page)
  // The other tab finds what it deletes.
  await expect.poll(() => journalled(other)).toMatch(/you/)
  await other.evaluate(() => (window as unknown as ChatWindow).chat.client.delete('chat'))
  await page.evaluate(() => (window as unknown as ChatWindow).chat.release())
  await expect.poll(async () => (await texts(page)).at(-1)).toBe('0: you said it')
  await flush(page)
  expect(await errors(page)).toEqual([expect.stringContaining('SessionNotFound')])
  await load(page)
  expect(await shown(page)).toEqual([])
})
