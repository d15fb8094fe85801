import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Served } from '../support/serve.ts'
import { useServed } from '../support/use-served.ts'
import type { ChatPage, PageMessage } from './support/chat-page.ts'
import { serveChat } from './support/serve-chat.ts'

// The chat app of a user of the AI SDK, with its own `useChat`, agent and direct transport, and a model that is scripted.

let served: Served
let context: BrowserContext

useServed(serveChat('ai-sdk'), (opened) => void ({ served, context } = opened))

type ChatWindow = Window & { readonly chat: ChatPage }

async function load(page: Page, query = ''): Promise<Page> {
  await page.goto(`${served.url}/index.html${query}`)
  await page.waitForFunction(() => 'chat' in window)
  return page
}
const openTab = async (query?: string): Promise<Page> => load(await context.newPage(), query)

const shown = (page: Page): Promise<readonly PageMessage[]> =>
  page.evaluate(() => (window as unknown as ChatWindow).chat.messages)
const stored = (page: Page): Promise<readonly PageMessage[]> =>
  page.evaluate(() => (window as unknown as ChatWindow).chat.load())
/** Sends a message and waits for the end of the reply, at which it is stored. */
const send = (page: Page, text: string, messageId?: string): Promise<void> =>
  page.evaluate(
    ([said, id]) =>
      (window as unknown as ChatWindow).chat.send(said!, id === undefined ? undefined : { messageId: id }),
    [text, messageId],
  )
/** Sends a message to which the reply stops after two words, and waits for these. */
async function sendSlowly(page: Page): Promise<void> {
  await page.evaluate(() => void (window as unknown as ChatWindow).chat.send('slowly'))
  await expect.poll(async () => texts(await shown(page)).at(-1)).toMatch(/^assistant: \d+: you $/)
}
const release = (page: Page): Promise<void> => page.evaluate(() => (window as unknown as ChatWindow).chat.release())
const status = (page: Page): Promise<string> => page.evaluate(() => (window as unknown as ChatWindow).chat.status)

const texts = (messages: readonly PageMessage[]): string[] =>
  messages.map(({ role, parts }) => `${role}: ${parts.map(({ text = '' }) => text).join('')}`)

it('shows after a reload what it showed before: the same ids and the same parts', async () => {
  const page = await openTab()
  await send(page, 'think')
  await expect.poll(() => status(page)).toBe('ready')
  const before = await shown(page)
  expect(texts(before)).toEqual(['user: think', 'assistant: Let me see.1: you said think'])
  await load(page)
  expect(await shown(page)).toEqual(before)
})

it('has what arrived of a reply once, with its id and marked, when its tab is killed, and goes on', async () => {
  const page = await openTab()
  await send(page, 'a')
  await sendSlowly(page)
  const before = await shown(page)
  const other = await openTab()
  const isStored = async () =>
    (await other.evaluate(() => (window as unknown as ChatWindow).chat.client.store.listDrafts('chat')))[0]?.text
  await expect.poll(isStored).toBe('2: you ')
  const session = await context.newCDPSession(page)
  // It never answers.
  void session.send('Page.crash').catch(() => undefined)

  await expect.poll(async () => (await stored(other)).at(-1)).toMatchObject({ id: before[3]!.id, interrupted: true })
  await load(other)
  expect(texts(await shown(other))).toEqual(texts(before))
  expect((await shown(other)).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  expect((await shown(other)).at(-1)!.parts.at(-1)).toMatchObject({ type: 'text', text: '2: you ', state: 'done' })
  await send(other, 'next')
  expect(texts(await stored(other)).slice(4)).toEqual(['user: next', 'assistant: 1: you said next'])
})

it('has all of 100 messages, each once, when two tabs send 50 each', async () => {
  const tabs = await Promise.all([openTab(), openTab()])
  await Promise.all(
    tabs.map((tab, number) =>
      tab.evaluate(async (name) => {
        for (let n = 0; n < 25; n++) await (window as unknown as ChatWindow).chat.send(`${name}.${n}`)
      }, number),
    ),
  )
  const all = await stored(tabs[0]!)
  expect(all).toHaveLength(100)
  const shownInTabs = (await Promise.all(tabs.map(shown))).flat()
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set(shownInTabs.map(({ id }) => id)))
  expect(new Set(texts(all))).toEqual(new Set(texts(shownInTabs)))
  expect(await stored(tabs[1]!)).toEqual(all)
})

it('keeps the old paths when a reply is made again and a message is edited, and shows them again', async () => {
  const page = await openTab()
  await send(page, 'a')
  await page.evaluate(() => (window as unknown as ChatWindow).chat.regenerate())
  await expect.poll(async () => texts(await shown(page))).toEqual(['user: a', 'assistant: 2: you said a'])
  const [question, reply] = await shown(page)
  await send(page, 'b', question!.id)
  await expect.poll(async () => texts(await shown(page))).toEqual(['user: b', 'assistant: 3: you said b'])
  await load(page)
  expect(texts(await shown(page))).toEqual(['user: b', 'assistant: 3: you said b'])

  const versions = () => page.evaluate(() => (window as unknown as ChatWindow).chat.versions())
  expect(await versions()).toEqual([[question!.id, { shown: 1, count: 2 }]])
  const show = (id: string) => page.evaluate((of) => (window as unknown as ChatWindow).chat.show(of, 0), id)
  await show(question!.id)
  await expect.poll(async () => texts(await shown(page))).toEqual(['user: a', 'assistant: 2: you said a'])
  expect(Object.fromEntries(await versions())).toEqual({
    [question!.id]: { shown: 0, count: 2 },
    [reply!.id]: { shown: 1, count: 2 },
  })
  await show(reply!.id)
  await expect.poll(async () => texts(await shown(page))).toEqual(['user: a', 'assistant: 1: you said a'])
})

it('does not bring a session back that is deleted in one tab while the other streams', async () => {
  const [page, other] = [await openTab(), await openTab()]
  await sendSlowly(page)
  await other.evaluate(() => (window as unknown as ChatWindow).chat.client.delete('chat'))
  await release(page)
  await expect.poll(() => status(page)).toBe('ready')
  expect(texts(await shown(page)).at(-1)).toBe('assistant: 1: you said slowly')
  expect(await page.evaluate(() => (window as unknown as ChatWindow).chat.errors)).toEqual([
    expect.stringContaining('SessionNotFound'),
  ])
  await load(page)
  expect(await shown(page)).toEqual([])
})

it('keeps the outputs of tools and approvals, and what came after them in the same message', async () => {
  const page = await openTab()
  await send(page, 'weather')
  const asked = await shown(page)
  const { toolCallId } = asked[1]!.parts.find((part) => part.toolCallId !== undefined)!
  await page.evaluate((id) => (window as unknown as ChatWindow).chat.answerTool(id!, { sun: true }), toolCallId)
  await send(page, 'erase')
  const { approval } = (await shown(page))[3]!.parts.find((part) => part.approval !== undefined)!
  await page.evaluate((id) => (window as unknown as ChatWindow).chat.approve(id!, true), approval!.id)
  await expect.poll(() => status(page)).toBe('ready')
  const before = await shown(page)
  expect(before.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(before[1]!.id).toBe(asked[1]!.id)
  await load(page)
  expect(await shown(page)).toEqual(before)
})

it('marks a reply that was stopped, and keeps what arrived', async () => {
  const page = await openTab()
  await sendSlowly(page)
  await page.evaluate(() => (window as unknown as ChatWindow).chat.stop())
  await expect.poll(async () => (await stored(page)).at(-1)?.interrupted).toBe(true)
  const before = texts(await shown(page))
  await load(page)
  expect(texts(await shown(page))).toEqual(before)
})

it('shows a file that was sent after a reload, and stores its bytes as a blob', async () => {
  const page = await openTab()
  await page.evaluate(() =>
    (window as unknown as ChatWindow).chat.sendFile(
      new File([new Uint8Array([0, 1, 2])], 'a.png', { type: 'image/png' }),
    ),
  )
  await load(page)
  const file = (await shown(page))[0]!.parts.find(({ type }) => type === 'file')!
  expect(file).toMatchObject({ mediaType: 'image/png', filename: 'a.png', url: expect.stringMatching(/^blob:http/) })
  const bytes = await page.evaluate(
    async (url) => [...new Uint8Array(await (await fetch(url!)).arrayBuffer())],
    file.url,
  )
  expect(bytes).toEqual([0, 1, 2])
})

it('follows a reply that another tab streams, to its end', async () => {
  const page = await openTab()
  await sendSlowly(page)
  const other = await openTab('?resume')
  await expect.poll(async () => texts(await shown(other)).at(-1)).toBe('assistant: 1: you ')
  await release(page)
  await expect.poll(() => status(other)).toBe('ready')
  expect(await shown(other)).toEqual(await shown(page))
  expect(await stored(other)).toEqual(await shown(page))
})
