import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Served } from '../support/serve.ts'
import { useServed } from '../support/use-served.ts'
import type { AssistantPage } from './support/framework-pages.ts'
import { serveChat } from './support/serve-chat.ts'

// The app of a user of assistant-ui, with its local runtime in a list of threads, and a model that is scripted.

let served: Served
let context: BrowserContext

useServed(serveChat('assistant-ui'), (opened) => void ({ served, context } = opened))

type AssistantWindow = Window & { readonly assistant: AssistantPage }

async function load(page: Page): Promise<Page> {
  await page.goto(`${served.url}/index.html`)
  await page.waitForFunction(() => 'assistant' in window)
  return page
}
const openTab = async (): Promise<Page> => load(await context.newPage())

/** Calls a function of the page. */
const call = <Name extends keyof AssistantPage>(page: Page, name: Name, ...args: (string | number)[]) =>
  page.evaluate(
    ([method, given]) => (window as unknown as AssistantWindow).assistant[method as 'send'](...(given as [string])),
    [name, args] as const,
  )
const shown = (page: Page): Promise<ReturnType<AssistantPage['messages']>> =>
  page.evaluate(() => (window as unknown as AssistantWindow).assistant.messages())
const texts = async (page: Page): Promise<string[]> =>
  (await shown(page)).map(({ text, version }) => (version === '1/1' ? text : `${text} (${version})`))
const threads = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => (window as unknown as AssistantWindow).assistant.threads())
/** How many messages of the first session are stored on all lines. */
const stored = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { client } = (window as unknown as AssistantWindow).assistant
    const [session] = (await client.listSessions()).sessions
    if (session === undefined) return 0
    const { entries } = await client.store.changes(session.key, {})
    return entries.filter(({ type }) => type === 'message').length
  })
async function send(page: Page, text: string): Promise<void> {
  const before = (await shown(page)).length
  await call(page, 'send', text)
  await expect.poll(async () => (await shown(page)).length).toBe(before + 2)
  await expect.poll(async () => (await texts(page)).at(-1)).toContain(text)
}

it('shows after a reload the threads, and in one of them all versions of its messages', async () => {
  const page = await openTab()
  await send(page, 'a')
  await call(page, 'regenerate', 1)
  await expect.poll(() => texts(page)).toEqual(['a', '2: a (2/2)'])
  await send(page, 'b')
  await call(page, 'edit', 2, 'c')
  await expect.poll(() => texts(page)).toEqual(['a', '2: a (2/2)', 'c (2/2)', '4: c'])
  await expect.poll(() => stored(page)).toBe(7)
  const before = await shown(page)
  await load(page)
  await expect.poll(() => threads(page)).toEqual(['a'])
  await call(page, 'openThread', 0)
  await expect.poll(() => shown(page)).toEqual(before)
  await call(page, 'showPrevious', 1)
  await expect.poll(() => texts(page)).toEqual(['a', '1: a (1/2)'])
  await send(page, 'd')
  await expect.poll(() => stored(page)).toBe(9)
  await load(page)
  await expect.poll(() => threads(page)).toEqual(['a'])
  await call(page, 'openThread', 0)
  await expect.poll(() => texts(page)).toEqual(['a', '1: a (1/2)', 'd', '1: d'])
})

it('renames, archives and deletes threads', async () => {
  const page = await openTab()
  await send(page, 'first')
  await expect.poll(() => stored(page)).toBe(2)
  await call(page, 'newThread')
  await expect.poll(() => texts(page)).toEqual([])
  await send(page, 'second')
  await expect.poll(() => stored(page)).toBe(2)
  await load(page)
  await expect.poll(() => threads(page)).toEqual(['second', 'first'])
  await call(page, 'rename', 0, 'Renamed')
  await call(page, 'archive', 1)
  await load(page)
  await expect.poll(() => threads(page)).toEqual(['Renamed', '(first)'])
  await call(page, 'remove', 0)
  await load(page)
  await expect.poll(() => threads(page)).toEqual(['(first)'])
})

it('shows an image that was sent after a reload, and stores its bytes as a blob', async () => {
  const page = await openTab()
  await page.evaluate(() =>
    (window as unknown as AssistantWindow).assistant.send(
      'look',
      new File([new Uint8Array([0, 1, 2])], 'a.png', { type: 'image/png' }),
    ),
  )
  await expect.poll(() => stored(page)).toBe(2)
  await load(page)
  await expect.poll(() => threads(page)).toEqual(['look'])
  await call(page, 'openThread', 0)
  await expect.poll(async () => (await shown(page)).length).toBe(2)
  const [url] = (await shown(page))[0]!.images
  expect(url).toMatch(/^blob:http/)
  const bytes = await page.evaluate(async (of) => [...new Uint8Array(await (await fetch(of!)).arrayBuffer())], url)
  expect(bytes).toEqual([0, 1, 2])
})
